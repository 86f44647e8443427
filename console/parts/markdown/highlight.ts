export type CodeKind = 'comment' | 'string' | 'number' | 'keyword'

export interface CodePart {
  readonly text: string
  /** Null for everything else. */
  readonly kind: CodeKind | null
}

const KEYWORDS =
  'abstract|and|as|async|await|break|case|catch|class|const|continue|def|default|delete|do|elif|else|enum|except|export|extends|extern|false|finally|fn|for|from|func|function|go|if|impl|implements|import|in|interface|is|lambda|let|match|mod|mut|new|nil|none|None|not|null|or|package|pass|private|protected|pub|public|raise|return|select|self|static|struct|super|switch|this|throw|true|True|False|try|type|typeof|undefined|use|using|var|void|where|while|with|yield|SELECT|FROM|WHERE|INSERT|INTO|UPDATE|DELETE|JOIN|GROUP|ORDER|BY|LIMIT|VALUES|CREATE|TABLE'

const HASH_COMMENTS = /^(py|python|sh|bash|shell|zsh|ya?ml|toml|rb|ruby|r|dockerfile|makefile|ini)$/i
const PLAIN = /^(|text|txt|plain|markdown|md|output|console|log)$/i
// Longer code is rarely read in full, and every part is an element of the page.
const LONGEST = 20_000

/** Splits code into parts of one colour. Knows what most languages share, and no language exactly. */
export function highlight(code: string, language: string): CodePart[] {
  if (PLAIN.test(language) || code.length > LONGEST) return [{ text: code, kind: null }]
  const line = HASH_COMMENTS.test(language) ? '#' : language === 'sql' ? '--' : '//'
  const parts: CodePart[] = []
  let shown = 0
  for (const match of code.matchAll(patternOf(line))) {
    if (match.index > shown) parts.push({ text: code.slice(shown, match.index), kind: null })
    parts.push({ text: match[0], kind: kindOf(match) })
    shown = match.index + match[0].length
  }
  if (shown < code.length) parts.push({ text: code.slice(shown), kind: null })
  return parts
}

function patternOf(line: string): RegExp {
  const comment = `${line}[^\\n]*${line === '//' ? '|/\\*[^*]*(?:\\*(?!/)[^*]*)*(?:\\*/)?' : ''}`
  const string = ['"', "'"].map((mark) => `${mark}(?:[^${mark}\\\\\\n]|\\\\.)*${mark}?`).join('|')
  return new RegExp(
    `(${comment})|(${string}|\`(?:[^\`\\\\]|\\\\[^])*\`?)|(\\b\\d[\\w.]*)|(\\b(?:${KEYWORDS})\\b)`,
    'g',
  )
}

function kindOf([, comment, string, number]: RegExpMatchArray): CodeKind {
  if (comment !== undefined) return 'comment'
  if (string !== undefined) return 'string'
  return number === undefined ? 'keyword' : 'number'
}
