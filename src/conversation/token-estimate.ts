/**
 * Estimates tokens from text, by script and kind. No vendor publishes the tokenizer of every model, and a real one takes
 * a hundred times as long; test/token-estimate compares the estimate with one. It is for money only: limits count
 * characters.
 */

/** Kinds of characters that the estimate tells apart. Those from `other` on cost by the character. */
const KINDS = [
  'space',
  'newline',
  'digit',
  'punctuation',
  'lower',
  'upper',
  'accented',
  'extended',
  'vietnamese',
  'other',
  'cyrillic',
  'greek',
  'arabic',
  'hebrew',
  'indic',
  'thai',
  'rare',
  'han',
  'kana',
  'hangul',
  'wide',
  'emoji',
  'joiner',
] as const
type Kind = (typeof KINDS)[number]

const KIND = Object.fromEntries(KINDS.map((kind, index) => [kind, index])) as Record<Kind, number>
// As constants of their own they cost nothing in the loop below.
const SPACE = KINDS.indexOf('space')
const NEWLINE = KINDS.indexOf('newline')
const DIGIT = KINDS.indexOf('digit')
const LOWER = KINDS.indexOf('lower')
const UPPER = KINDS.indexOf('upper')
const OTHER = KINDS.indexOf('other')

/** Tokens per character. Letters of Latin script cost by the word, and these are added to that. */
const TOKENS_PER_CHARACTER: Record<Kind, number> = {
  space: 0,
  newline: 0,
  digit: 0,
  punctuation: 0,
  lower: 0,
  upper: 0,
  accented: 0.25,
  extended: 1.7,
  vietnamese: 0,
  other: 0.8,
  cyrillic: 0.27,
  greek: 0.4,
  arabic: 0.33,
  hebrew: 0.42,
  indic: 0.34,
  thai: 0.38,
  rare: 1,
  han: 0.8,
  kana: 0.72,
  hangul: 0.7,
  wide: 0.8,
  emoji: 0.85,
  joiner: 0.7,
}
const WEIGHTS = Float64Array.from(KINDS, (kind) => TOKENS_PER_CHARACTER[kind])

/** Where kinds begin, in the order of code units. Two halves of a surrogate pair are two characters. */
const RANGES: readonly (readonly [first: number, kind: Kind])[] = [
  [0x80, 'other'],
  [0xc0, 'accented'],
  [0x100, 'extended'],
  [0x102, 'vietnamese'],
  [0x104, 'extended'],
  [0x110, 'vietnamese'],
  [0x112, 'extended'],
  [0x1a0, 'vietnamese'],
  [0x1b1, 'extended'],
  [0x250, 'rare'],
  [0x370, 'greek'],
  [0x400, 'cyrillic'],
  [0x530, 'rare'],
  [0x590, 'hebrew'],
  [0x600, 'arabic'],
  [0x700, 'rare'],
  [0x750, 'arabic'],
  [0x780, 'rare'],
  [0x900, 'indic'],
  [0xd80, 'rare'],
  [0xe00, 'thai'],
  [0xe80, 'rare'],
  [0x1100, 'hangul'],
  [0x1200, 'rare'],
  [0x1e00, 'vietnamese'],
  [0x1f00, 'greek'],
  [0x2000, 'other'],
  [0x200d, 'joiner'],
  [0x200e, 'other'],
  [0x2600, 'emoji'],
  [0x27c0, 'other'],
  [0x2e80, 'han'],
  [0x3000, 'wide'],
  [0x3040, 'kana'],
  [0x3100, 'han'],
  [0x3130, 'hangul'],
  [0x3190, 'han'],
  [0xa000, 'rare'],
  [0xac00, 'hangul'],
  [0xd7b0, 'emoji'],
  [0xe000, 'rare'],
  [0xf900, 'han'],
  [0xfb00, 'arabic'],
  [0xfe00, 'joiner'],
  [0xfe10, 'wide'],
  [0xfe70, 'arabic'],
  [0xff00, 'wide'],
  [0xffff, 'other'],
]

/** The kind of every UTF-16 code unit. */
const KIND_OF = kindTable()

function kindTable(): Uint8Array {
  const table = new Uint8Array(0x10000)
  table.fill(KIND.space, 0, 0x21)
  table[0x0a] = KIND.newline
  table[0x0d] = KIND.newline
  table.fill(KIND.punctuation, 0x21, 0x80)
  table.fill(KIND.digit, 0x30, 0x3a)
  table.fill(KIND.upper, 0x41, 0x5b)
  table.fill(KIND.lower, 0x61, 0x7b)
  for (const [first, kind] of RANGES) table.fill(KIND[kind], first)
  table[0xa0] = KIND.space
  return table
}

// Common words are one token, and longer ones are put together from parts of about this many letters.
const LETTERS_OF_FIRST_TOKEN = 6
const LETTERS_PER_FURTHER_TOKEN = 5
// Letters without a meaning, as in Base64, have few in a token.
const LETTERS_PER_RANDOM_TOKEN = 1.3
const DIGITS_PER_TOKEN = 3
const CHARACTERS_PER_PUNCTUATION_TOKEN = 3
// A punctuation mark before a word may be in one token with it.
const TOKENS_PER_PUNCTUATION = 0.85

// Some belong to the punctuation before them.
const TOKENS_PER_LINE_END = 0.5

/** Counts the tokens of a text that arrives in pieces, wherever they are cut. */
export class TokenCounter {
  /** Of the characters and runs that are complete. */
  #tokens = 0
  /** The kind of the last character, and how many of this kind there are in a row. */
  #kind = NEWLINE
  #run = 0
  /** Letters of the present word before this run, and how many of them are capitals. */
  #letters = 0
  #capitals = 0

  get tokens(): number {
    const kind = this.#kind
    const run = this.#run
    if (kind < LOWER) return Math.ceil(this.#tokens + runTokens(kind, run, NEWLINE))
    if (kind >= OTHER) return Math.ceil(this.#tokens)
    return Math.ceil(
      this.#tokens + wordTokens(this.#letters + run, this.#capitals + (kind === UPPER ? run : 0)),
    )
  }

  add(text: string): void {
    this.addPart(text, 0, text.length)
  }

  /** A part of a longer text, which need not be cut out for this. */
  addPart(text: string, start: number, end: number): void {
    // Local variables: members take several times as long.
    let tokens = this.#tokens
    let kind = this.#kind
    let run = this.#run
    let letters = this.#letters
    let capitals = this.#capitals
    for (let at = start; at < end; at += 1) {
      const next = KIND_OF[text.charCodeAt(at)] as number
      if (next > UPPER) tokens += WEIGHTS[next] as number
      if (next === kind) {
        run += 1
        continue
      }
      if (kind < LOWER) {
        tokens += runTokens(kind, run, next)
      } else if (kind < OTHER) {
        letters += run
        if (kind === UPPER) capitals += run
        // A capital after a small letter begins a word of its own, as in camelCase.
        if (next < LOWER || next >= OTHER || next === UPPER) {
          tokens += wordTokens(letters, capitals)
          letters = 0
          capitals = 0
        }
      }
      kind = next
      run = 1
    }
    this.#tokens = tokens
    this.#kind = kind
    this.#run = run
    this.#letters = letters
    this.#capitals = capitals
  }
}

function wordTokens(letters: number, capitals: number): number {
  if (capitals > 1 && capitals < letters) return letters / LETTERS_PER_RANDOM_TOKEN
  if (letters <= LETTERS_OF_FIRST_TOKEN) return 1
  return 1 + (letters - LETTERS_OF_FIRST_TOKEN) / LETTERS_PER_FURTHER_TOKEN
}

/** Of characters of one kind in a row, other than letters; `next` is what follows them. */
function runTokens(kind: number, run: number, next: number): number {
  // A single space belongs to the word after it, but not to a number.
  if (kind === SPACE) return run > 1 || next === DIGIT ? 1 : 0
  if (kind === NEWLINE) return run > 0 ? TOKENS_PER_LINE_END : 0
  if (kind === DIGIT) return Math.ceil(run / DIGITS_PER_TOKEN)
  return TOKENS_PER_PUNCTUATION * Math.ceil(run / CHARACTERS_PER_PUNCTUATION_TOKEN)
}

// Long prompts are read in samples: after so many characters, only the beginning of every stretch.
const READ_IN_FULL = 512
const READ_OF_STRETCH = 64
const SHORTEST_STRETCH = 1_024
const MAX_STRETCHES = 128

/** Counts the tokens of all texts of a prompt. What it does not read is taken to be like what it reads. */
export class PromptCounter {
  readonly #stretch: number
  readonly #whole = new TokenCounter()
  #samples: TokenCounter | null = null
  #sampled = 0
  /** Of all texts together. */
  characters = 0

  /** The longer the body is, the fewer of its characters are read. */
  constructor(bodyCharacters: number) {
    this.#stretch = Math.max(SHORTEST_STRETCH, Math.ceil(bodyCharacters / MAX_STRETCHES))
  }

  get tokens(): number {
    const { tokens } = this.#whole
    if (this.#samples === null) return tokens
    return tokens + Math.ceil((this.#samples.tokens * (this.characters - READ_IN_FULL)) / this.#sampled)
  }

  add(text: string): void {
    this.addPart(text, 0, text.length)
  }

  /** A part of a longer text, which need not be cut out for this. */
  addPart(text: string, start: number, end: number): void {
    const unread = READ_IN_FULL - this.characters
    this.characters += end - start
    const fullEnd = Math.min(end, start + Math.max(0, unread))
    this.#whole.addPart(text, start, fullEnd)
    if (fullEnd < end) this.#sample(text, fullEnd, end)
  }

  #sample(text: string, start: number, end: number): void {
    this.#samples ??= new TokenCounter()
    const firstPosition = this.characters - (end - start) - READ_IN_FULL
    let at = start
    while (at < end) {
      const offset = (firstPosition + at - start) % this.#stretch
      const readEnd = Math.min(end, at + READ_OF_STRETCH - offset)
      if (readEnd > at) {
        this.#samples.addPart(text, at, readEnd)
        this.#sampled += readEnd - at
      }
      at += this.#stretch - offset
    }
  }
}

/** The tokens of a whole text. */
export function estimateTokens(text: string): number {
  const counter = new PromptCounter(text.length)
  counter.add(text)
  return counter.tokens
}
