// Files and folders that are opened or dropped, as one text.
import { byId, count } from "./dom";

/** Larger texts would not fit into the memory of the page. */
const MAX_BYTES = 64 * 1024 * 1024;

/** The files of a folder that have objects. */
const HAS_OBJECTS = /\.(ya?ml|json)$/i;

/** A file with its path in the folder that was opened, or its name. */
export interface NamedFile {
  path: string;
  file: File;
}

/** Calls a function with the files that are chosen in a field, which a button opens. */
export function chooseFiles(id: string, onFiles: (files: Promise<NamedFile[]>) => void): void {
  const field = byId<HTMLInputElement>(id);
  byId(`${id}-open`).addEventListener("click", () => field.click());
  field.addEventListener("change", () => {
    const files = [...(field.files ?? [])].map((file) => ({ path: file.webkitRelativePath || file.name, file }));
    if (files.length > 0) onFiles(Promise.resolve(field.webkitdirectory ? files.filter(isShown) : files));
    field.value = "";
  });
}

/** Calls a function with the files and folders that are dropped on an element. */
export function onDrop(element: HTMLElement, onFiles: (files: Promise<NamedFile[]>, place: Node) => void): void {
  const hasFiles = (event: DragEvent) => event.dataTransfer?.types.includes("Files") ?? false;
  element.addEventListener("dragover", (event) => {
    if (hasFiles(event)) event.preventDefault();
  });
  element.addEventListener("drop", (event) => {
    const { dataTransfer, target } = event;
    if (!dataTransfer || !hasFiles(event)) return;
    event.preventDefault();
    event.stopPropagation();
    // The items are empty once the event is over.
    const items = [...dataTransfer.items].filter(({ kind }) => kind === "file");
    const found = items.map((item) => {
      const entry = item.webkitGetAsEntry();
      if (entry?.isDirectory) return filesOf(entry as FileSystemDirectoryEntry);
      const file = item.getAsFile();
      return Promise.resolve(file ? [{ path: file.name, file }] : []);
    });
    const files = Promise.all(found).then((found) => found.flat());
    onFiles(files, target instanceof Node ? target : element);
  });
}

/** Returns the files below a folder. */
async function filesOf(folder: FileSystemDirectoryEntry): Promise<NamedFile[]> {
  const reader = folder.createReader();
  const files: Promise<NamedFile[]>[] = [];
  // The reader returns some entries at a time, and none at the end.
  for (;;) {
    const entries = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (entries.length === 0) return (await Promise.all(files)).flat();
    for (const entry of entries) {
      const path = entry.fullPath.replace(/^\//, "");
      if (!isShown({ path })) continue;
      files.push(
        entry.isDirectory
          ? filesOf(entry as FileSystemDirectoryEntry)
          : new Promise((resolve, reject) =>
              (entry as FileSystemFileEntry).file((file) => resolve([{ path, file }]), reject),
            ),
      );
    }
  }
}

/** Whether a file of a folder is not in a hidden folder, such as `.git`. */
function isShown({ path }: { path: string }): boolean {
  return !path.split("/").some((part) => part.startsWith("."));
}

/**
 * Returns the text of a file; that of several files is their texts in the order of their paths,
 * each below a comment with its path. `left` says what the text lacks.
 */
export async function textOf(files: NamedFile[]): Promise<{ text?: string; left: string }> {
  const [first] = files;
  const only = files.length === 1 ? first : undefined;
  const read = only ? files : files.filter(({ path }) => HAS_OBJECTS.test(path));
  const names = only?.path ?? count(files.length, "file");
  const bytes = read.reduce((sum, { file }) => sum + file.size, 0);
  if (bytes > MAX_BYTES) return { left: `${names} cannot be opened: more than 64 MiB.` };
  if (only) return { text: await only.file.text(), left: "" };
  if (read.length === 0) return { left: `${names} cannot be opened: there is no YAML or JSON.` };
  const skipped = files.length - read.length;
  const left = skipped > 0 ? `${count(skipped, "file")} without YAML or JSON not opened.` : "";
  read.sort((one, other) => (one.path < other.path ? -1 : 1));
  const texts = await Promise.all(read.map(async ({ path, file }) => below(path, await file.text())));
  return { text: texts.join(""), left };
}

/** Returns a text as documents of a longer one, below a comment with its path. */
function below(path: string, text: string): string {
  // A directive ends the documents before it.
  const start = text.startsWith("%") ? "...\n" : "---\n";
  const end = text === "" || text.endsWith("\n") ? "" : "\n";
  return `${start}# ${path.replaceAll(/\s/g, " ")}\n${text}${end}`;
}
