mod meter;
fn main() {
    let mut args = std::env::args().skip(1);
    let mods: Vec<String> = args.by_ref().collect();
    let mut files: Vec<_> = std::fs::read_dir(std::env::var("REQS").unwrap_or("bench/requests".into()))
        .unwrap()
        .map(|f| f.unwrap().path())
        .collect();
    files.sort();
    for m in &mods {
        let b = std::fs::read(m).unwrap();
        let meter = meter::Meter::new(&b).unwrap();
        print!("{m} {} ", b.len());
        for f in &files {
            let r = std::fs::read_to_string(f).unwrap();
            let v: serde_json::Value = serde_json::from_str(&r).unwrap();
            let p = serde_json::to_vec(&serde_json::json!({"request":v,"settings":{}})).unwrap();
            let (u, a) = meter.validate(p).unwrap();
            print!(" {}={} {}", f.file_stem().unwrap().to_str().unwrap(), u.fuel, u.memory / 1024);
            let _ = a;
        }
        println!();
    }
}
