use super::*;

const SCHEMA: &str = include_str!("../../../../../../artifacthub/portcullis.schema.json");

/// Returns whether the reader takes a text, in a folder with a chart.
fn is_read(text: &str) -> bool {
    let folder = tempfile::tempdir().unwrap();
    let chart = folder.path().join("charts/shop");
    std::fs::create_dir_all(&chart).unwrap();
    std::fs::write(chart.join("Chart.yaml"), "").unwrap();
    let document = manifest::documents(text).unwrap().remove(0);
    let source = manifest::Source::new(FILE.to_owned(), text.to_owned());
    Reader { folder: folder.path() }.config(&Cursor::new(&source, &document)).is_ok()
}

#[test]
fn the_reader_and_the_schema_agree() {
    let schema = serde_json::from_str(SCHEMA).unwrap();
    let schema = jsonschema::draft7::new(&schema).unwrap();
    let page = include_str!("../../../../../../docs/scan.md");
    let documented = page.split("```yaml\n").find(|block| block.starts_with("# portcullis.yaml")).unwrap();
    let documented = documented.split("```").next().unwrap();
    let right = [
        documented,
        "{}",
        "paths:\npolicies:\nexclude:\ncharts:\ncluster:\nstrict:\nbaseline:\nexceptions:\nfailOn:\noutputs:",
        "exclude: []",
        "policies: [{policy: a, settings: }]",
        "charts: [{chart: charts/shop, values: , release: , namespace: }]",
        "exceptions: all",
        "outputs: [json, sarif=a=b]",
    ];
    let wrong = [
        "[]",
        "'a'",
        "path: [.]",
        "paths: .",
        "paths: []",
        "paths: ['']",
        "policies: []",
        "policies: [1]",
        "policies: ['']",
        "paths: ['-']",
        "policies: [{policy: pod-security=baseline}]",
        "policies: [{settings: {}}]",
        "policies: [{policy: a, setting: {}}]",
        "policies: [{policy: a, settings: []}]",
        "exclude: a",
        "exclude: [1]",
        "charts: [charts/shop]",
        "charts: [{values: [a]}]",
        "charts: [{chart: charts/shop, values: a}]",
        "charts: [{chart: charts/shop, release: ''}]",
        "cluster: {}",
        "strict: 1",
        "strict: 'yes'",
        "baseline: ''",
        "baseline: [a]",
        "exceptions: some",
        "failOn: error",
        "outputs: [yaml]",
        "outputs: [json=]",
        "outputs: json",
    ];
    for (text, wanted) in right.iter().map(|text| (text, true)).chain(wrong.iter().map(|text| (text, false)))
    {
        let document = manifest::documents(text).unwrap().remove(0);
        assert_eq!((schema.is_valid(&document), is_read(text)), (wanted, wanted), "{text}");
    }
}
