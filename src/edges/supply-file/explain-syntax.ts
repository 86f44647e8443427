import type { ErrorCode, YAMLError } from 'yaml'

// The library's own messages may quote the file, which contains secrets.
const EXPLANATIONS: Partial<Record<ErrorCode, string>> = {
  BAD_ALIAS: 'An alias (*name) that cannot be followed; write the value itself.',
  BAD_DIRECTIVE: 'A line that begins with % is not taken; remove it.',
  BAD_DQ_ESCAPE: 'A backslash in double quotes that means nothing; single quotes take it as it is.',
  BAD_INDENT: 'The indentation does not fit, or a bracket, brace or quote above is not closed.',
  BAD_SCALAR_START: 'A text cannot begin with this sign; put the text in quotes.',
  BLOCK_AS_IMPLICIT_KEY: 'A text with a colon and a space in it; put the text in quotes.',
  BLOCK_IN_FLOW: 'Indented lines inside brackets or braces; close them first, or write commas.',
  MISSING_CHAR: 'A quote, colon, comma or bracket is missing.',
  MULTILINE_IMPLICIT_KEY: 'A name without a colon; write "name: value".',
  MULTIPLE_DOCS: 'A second document begins here; a supply file is one. Remove the line "---".',
  RESOURCE_EXHAUSTION: 'It is nested too deeply.',
  TAB_AS_INDENT: 'A tab is used to indent; use spaces.',
  TAG_RESOLVE_FAILED: 'A tag (!name) that is not known; write the plain value.',
  UNEXPECTED_TOKEN:
    // biome-ignore lint/suspicious/noTemplateCurlyInString: this is how the file writes a reference.
    'A sign that cannot stand here; inside braces and brackets a ${NAME} needs quotes.',
}

/** Where the text is no YAML, and why, in the words of its writer. */
export function explainSyntax(
  { code, pos, message }: Pick<YAMLError, 'code' | 'pos' | 'message'>,
  text: string,
): { readonly offset: number; readonly message: string } {
  const [offset] = pos
  const before = text.slice(text.lastIndexOf('\n', offset - 1) + 1, offset)
  if (code === 'MISSING_CHAR' && message.startsWith('Missing closing')) {
    return { offset, message: 'A quote that was opened above is not closed.' }
  }
  if (offset >= text.trimEnd().length && (code === 'BAD_INDENT' || code === 'MISSING_CHAR')) {
    return {
      offset,
      message: 'The file ends here, but a bracket or brace that was opened above is not closed.',
    }
  }
  // A line with a name that is less indented than the names above, and not as little as those around them.
  if (code === 'MISSING_CHAR' && before.trim() === '') {
    return {
      offset,
      message: 'The indentation does not fit; names that belong together begin in the same column.',
    }
  }
  // The value of a name, with a further name below it: that line was taken for a part of the value.
  const end = text.indexOf('\n', offset)
  const isValue = before.trim() !== '' && !/:(\s|$)/.test(text.slice(offset, end < 0 ? undefined : end))
  if ((code === 'MULTILINE_IMPLICIT_KEY' || code === 'BLOCK_AS_IMPLICIT_KEY') && isValue && end > 0) {
    return {
      offset: end + 1,
      message: 'This line is indented too far; names that belong together begin in the same column.',
    }
  }
  return { offset, message: EXPLANATIONS[code] ?? 'This is not YAML.' }
}
