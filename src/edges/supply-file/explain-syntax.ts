import type { ErrorCode } from 'yaml'

// The library's own sentences may quote the file, where secrets stand.
const EXPLANATIONS: Partial<Record<ErrorCode, string>> = {
  BAD_ALIAS: 'An alias that cannot be followed.',
  BAD_DIRECTIVE: 'A line beginning with % is not taken.',
  BAD_DQ_ESCAPE: 'A backslash in double quotes that means nothing; single quotes take it as it is.',
  BAD_INDENT: 'The indentation does not fit, or a bracket, brace or quote is not closed.',
  BAD_SCALAR_START: 'A text that begins with a sign YAML keeps for itself; put it in quotes.',
  BLOCK_AS_IMPLICIT_KEY:
    'A colon where no name may stand; put the text in quotes, or indent the lines below.',
  BLOCK_IN_FLOW: 'Indented lines inside brackets or braces.',
  MISSING_CHAR: 'A quote, colon, comma or bracket is missing.',
  MULTILINE_IMPLICIT_KEY: 'A name without a colon, or one that runs over the end of its line.',
  MULTIPLE_DOCS: 'A second document begins here; a supply file is one.',
  RESOURCE_EXHAUSTION: 'It is nested too deeply.',
  TAB_AS_INDENT: 'A tab is used to indent; YAML takes spaces.',
  TAG_RESOLVE_FAILED: 'A tag that is not known; write the plain value.',
  UNEXPECTED_TOKEN:
    // biome-ignore lint/suspicious/noTemplateCurlyInString: this is how the file writes a reference.
    'A sign that cannot stand here; inside braces and brackets a ${NAME} needs quotes.',
}

export function explainSyntax(code: ErrorCode): string {
  return EXPLANATIONS[code] ?? `This is not YAML (${code}).`
}
