// Formats YAML and JSON, with its comments.
import { type Document, parseAllDocuments, visit } from "yaml";

/**
 * Returns the text with uniform indentation. The values of all scalars stay as they are written.
 *
 * Throws an error if the text cannot be read.
 */
export function format(text: string): string {
  const documents = parse(text);
  const [error] = documents.flatMap(({ errors }) => errors);
  if (error) {
    const line = error.linePos?.[0].line;
    throw new Error(line ? `line ${line} is invalid YAML` : "it is invalid YAML");
  }
  const options = { lineWidth: 0, indentSeq: false, flowCollectionPadding: false };
  const formatted = documents.map((document) => document.toString(options)).join("");
  if (scalars(parse(formatted)) !== scalars(documents)) throw new Error("it would change a value");
  return formatted;
}

function parse(text: string): Document[] {
  return [...parseAllDocuments(text, { uniqueKeys: false, keepSourceTokens: true })] as Document[];
}

/** Returns the scalars and aliases of documents, as they are written. */
function scalars(documents: Document[]): string {
  const found: unknown[] = [];
  for (const document of documents) {
    visit(document, {
      Scalar: (_, { source, value }) => void found.push(source ?? value),
      Alias: (_, { source }) => void found.push(`*${source}`),
    });
  }
  return JSON.stringify(found);
}
