const FOLLOWED = new Set(['http:', 'https:', 'mailto:'])

/** The address of a link in a text by a stranger; null unless it leads to a web page or a mail. */
export function safeAddress(address: string): string | null {
  const url = URL.parse(address)
  return url !== null && FOLLOWED.has(url.protocol) ? url.href : null
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
  '&nbsp;': '\u00a0',
}

/** The entities that models write. The result is shown as text, so nothing in it is read as HTML. */
export function decodeEntities(text: string): string {
  return text.replace(/&(amp|lt|gt|quot|nbsp|#39);/g, (entity) => ENTITIES[entity] ?? entity)
}

const LONGEST = 200_000
const MOST_MARKS = 400
const TOO_DEEP = /^(?:[ \t]*(?:>|[-*+]|\d{1,9}[.)])){20}/m

/** Whether laying out a text could block the browser: the parser takes quadratic time for some texts nobody reads. */
export function isTooMuch(text: string): boolean {
  if (text.length > LONGEST || TOO_DEEP.test(text)) return true
  const withoutCode = text.replace(/^ {0,3}```[^\n]*\n[\s\S]*?(?:^ {0,3}```|$(?![\s\S]))/gm, '')
  return withoutCode.split(/\n[ \t]*\n/).some((block) => countMarks(block) > MOST_MARKS)
}

function countMarks(block: string): number {
  return block.match(/[*_[\]&\\|]/g)?.length ?? 0
}
