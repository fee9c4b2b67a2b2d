//! The files of a revision of a git repository.

use std::ffi::OsString;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Command, Stdio};

use crate::input::{Files, Origin, file_name, is_object_file};

/// Adds the files of a revision of the git repository of a folder, to which the paths are relative:
/// those below the paths whose names are those of objects, or all of the folder's if there are no
/// paths.
pub fn add_revision(files: &mut Files, folder: &Path, revision: &str, paths: &[String]) {
    if let Err(problem) = read_revision(files, folder, revision, paths) {
        files.add_problem(&format!("git:{revision}"), problem);
    }
}

fn read_revision(files: &mut Files, folder: &Path, revision: &str, paths: &[String]) -> Result<(), String> {
    // A revision is never an option.
    if revision.starts_with('-') {
        return Err("not a revision".to_owned());
    }
    // Git would find no file of this name, and every object would count as new.
    if paths.iter().any(|path| path == "-") {
        return Err(
            "the standard input has no revision; name files, or give the old state in a file".to_owned()
        );
    }
    let mut arguments: Vec<OsString> =
        ["ls-tree", "-r", "-z", "--name-only", revision, "--"].map(Into::into).into();
    arguments.extend(paths.iter().map(OsString::from));
    let listed = Command::new("git")
        .current_dir(folder)
        .args(arguments)
        .output()
        .map_err(|error| format!("git cannot be run: {error}"))?;
    if !listed.status.success() {
        return Err(format!("git failed: {}", String::from_utf8_lossy(&listed.stderr).trim()));
    }
    let listed = String::from_utf8(listed.stdout).map_err(|_| "a file has a name that is not UTF-8")?;
    let names: Vec<&str> = listed.split('\0').filter(|name| is_object_file(Path::new(name))).collect();
    // Every object would count as new.
    if names.is_empty() {
        let below = if paths.is_empty() { String::new() } else { format!(" below {}", paths.join(", ")) };
        return Err(format!(
            "the revision has no file *.yaml, *.yml or *.json{below}; correct the revision or the paths, or evaluate \
             without --old if all objects are new"
        ));
    }
    for (name, text) in names.iter().zip(contents(folder, revision, &names)?) {
        match String::from_utf8(text) {
            Ok(text) => {
                let origin = Origin::in_state(revision, *name);
                let root = if let [path] = paths { file_name(Path::new(path)) } else { String::new() };
                files.add_text(origin.below(&root), text);
            }
            Err(_) => files.add_problem(&format!("{revision}:{name}"), "not valid UTF-8"),
        }
    }
    Ok(())
}

/// Returns the contents of files of a revision, by one process.
fn contents(folder: &Path, revision: &str, names: &[&str]) -> Result<Vec<Vec<u8>>, String> {
    let failed = |error: std::io::Error| format!("git failed: {error}");
    let mut git = Command::new("git")
        .current_dir(folder)
        .args(["cat-file", "--batch"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(failed)?;
    let questions: Vec<String> = names.iter().map(|name| format!("{revision}:./{name}\n")).collect();
    let questions = questions.concat();
    let (stdin, stdout) = (git.stdin.take(), git.stdout.take());
    // Git answers while it reads: a thread asks, so that neither waits for the other.
    let answers = std::thread::scope(|scope| {
        scope.spawn(move || stdin.map(|mut stdin| stdin.write_all(questions.as_bytes())));
        let mut reader = BufReader::new(stdout.ok_or("git has no output")?);
        names.iter().map(|name| answer(&mut reader, name)).collect::<Result<Vec<_>, String>>()
    });
    git.wait().map_err(failed)?;
    answers
}

/// Reads an answer: a line `<id> blob <size>`, the content and a line feed.
fn answer(reader: &mut impl BufRead, name: &str) -> Result<Vec<u8>, String> {
    let failed = |error: std::io::Error| format!("git failed: {error}");
    let mut line = String::new();
    reader.read_line(&mut line).map_err(failed)?;
    let size = line.trim_end().rsplit_once(" blob ").and_then(|(_, size)| size.parse::<u64>().ok());
    let size = size.ok_or_else(|| format!("git does not have {name}: {}", line.trim_end()))?;
    let mut content = Vec::new();
    let length = size + 1;
    reader.by_ref().take(length).read_to_end(&mut content).map_err(failed)?;
    content.pop();
    Ok(content)
}
