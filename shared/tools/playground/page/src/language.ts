// The language of the editors: YAML, of which JSON is a part.
import { yamlLanguage } from "@codemirror/lang-yaml";
import { LanguageSupport } from "@codemirror/language";

type Parse = ReturnType<typeof yamlLanguage.parser.startParse>;

const EMPTY = yamlLanguage.parser.parse("");

/** YAML whose texts have no structure, and so no colours, if the parser fails. */
export const language = new LanguageSupport(
  yamlLanguage.configure({ wrap: (parse, { length }) => new GuardedParse(parse, length) }),
);

/**
 * A parse that gives up. The parser exceeds the stack of the browser on some thousand nested
 * brackets; without this, the editor then refuses every change.
 */
class GuardedParse implements Parse {
  private failed = false;

  constructor(
    private readonly parse: Parse,
    private readonly length: number,
  ) {}

  advance(): ReturnType<Parse["advance"]> {
    if (this.failed) return EMPTY;
    try {
      return this.parse.advance();
    } catch {
      this.failed = true;
      return EMPTY;
    }
  }

  get parsedPos(): number {
    return this.failed ? this.length : this.parse.parsedPos;
  }

  stopAt(position: number): void {
    this.parse.stopAt(position);
  }

  get stoppedAt(): number | null {
    return this.parse.stoppedAt;
  }
}
