//! The beginning of docs/getting-started.md: its files and commands, in turn, and what they print.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::cases::Text;
use crate::folder::Folder;

/// Returns the code blocks of a part of the page, each with its language.
fn blocks(page: &str) -> Vec<(&str, &str)> {
    let part = page.split("\n## ").find(|part| part.starts_with("In a repository\n")).unwrap();
    let blocks = part.split("\n```").skip(1).step_by(2);
    blocks.map(|block| block.split_once('\n').unwrap()).collect()
}

#[test]
fn the_commands_print_what_the_page_shows() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../docs/getting-started.md");
    let page = fs::read_to_string(page).unwrap();
    let folder = Folder::new();
    let git = Command::new("git").args(["init", "--quiet"]).arg(folder.path("")).status().unwrap();
    assert!(git.success());
    let mut status = 0;
    let mut count = 0;
    for (language, block) in blocks(&page) {
        if language == "yaml" {
            let name = block.lines().next().unwrap().strip_prefix("# ").unwrap();
            folder.file(name, block);
            continue;
        }
        for command in format!("\n{block}\n").split("\n$ ").skip(1) {
            let (command, wanted) = command.split_once('\n').unwrap();
            if command == "echo $?" {
                assert_eq!(wanted.trim_end(), status.to_string());
                continue;
            }
            let arguments: Vec<&str> =
                command.strip_prefix("portcullis ").unwrap().split_whitespace().collect();
            let (code, stdout, stderr) = folder.run(&arguments, "");
            status = code;
            count += 1;
            let wanted = Text::Whole(format!("{}\n", wanted.trim_end()));
            assert_eq!(wanted.problem(&stdout, command), None, "{stdout}");
            assert_eq!(stderr, "", "{command}");
        }
    }
    assert_eq!(count, 5);
}
