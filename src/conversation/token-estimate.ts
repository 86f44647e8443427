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

// Long texts are read in samples: after so many characters, only the beginning of every stretch.
const READ_IN_FULL = 512
const READ_OF_STRETCH = 64
const SHORTEST_STRETCH = 1_024
const MAX_STRETCHES = 128

/** The tokens of a whole text. What is not read of a long one is taken to be like what is read. */
export function estimateTokens(text: string): number {
  const beginning = new TokenCounter()
  const { length } = text
  if (length <= READ_IN_FULL) {
    beginning.add(text)
    return beginning.tokens
  }
  beginning.addPart(text, 0, READ_IN_FULL)
  const rest = length - READ_IN_FULL
  const stretch = Math.max(SHORTEST_STRETCH, Math.ceil(rest / MAX_STRETCHES))
  const samples = new TokenCounter()
  let read = 0
  for (let at = READ_IN_FULL; at < length; at += stretch) {
    const end = Math.min(length, at + READ_OF_STRETCH)
    samples.addPart(text, at, end)
    read += end - at
  }
  return beginning.tokens + Math.ceil((samples.tokens * rest) / read)
}

// English prose, for want of anything better.
const USUAL_DENSITY = 0.25
// Names, kinds and ids are not what a model reads. They count only where there is hardly anything else.
const SHORT_TEXT = 16
const ENOUGH_CHARACTERS = 64
// Enough for every script to show; a body may have millions of values.
const MAX_VALUES = 1_000
const MAX_READ = 1_024
const READ_PER_TEXT = 256
// Pictures and other data in text form: no prose has so many characters without a space.
const DATA_LENGTH = 1_024

/** Tokens per character of the texts in a parsed body or reply, wherever they are in it. */
export function textDensity(body: unknown): number {
  const density = new Density()
  // Iterative, because a body may nest deeper than the stack. The last values, which are the newest turns, come first.
  const waiting: unknown[] = [body]
  for (let visited = 0; visited < MAX_VALUES && density.read < MAX_READ; visited += 1) {
    const value = waiting.pop()
    if (value === undefined) break
    if (typeof value === 'string') density.add(value)
    else if (Array.isArray(value)) pushSome(waiting, value)
    else if (typeof value === 'object' && value !== null) pushSome(waiting, Object.values(value))
  }
  return density.value
}

function pushSome(waiting: unknown[], values: readonly unknown[]): void {
  for (let at = Math.max(0, values.length - MAX_VALUES); at < values.length; at += 1) {
    // Other values do not matter, and `undefined` would look like the end.
    if (typeof values[at] === 'string' || typeof values[at] === 'object') waiting.push(values[at])
  }
}

/** Reads texts until it has seen enough of them. */
class Density {
  #tokens = 0
  #shortTokens = 0
  #shortRead = 0
  read = 0

  add(text: string): void {
    const counter = new TokenCounter()
    const { length } = text
    if (length < SHORT_TEXT) {
      counter.addPart(text, 0, length)
      this.#shortTokens += counter.tokens
      this.#shortRead += length
      return
    }
    if (length > DATA_LENGTH && isData(text)) return
    // From the middle of a long text: it may begin with a fixed phrase.
    const start = Math.max(0, (length - READ_PER_TEXT) >> 1)
    const end = Math.min(length, start + READ_PER_TEXT)
    counter.addPart(text, start, end)
    this.#tokens += counter.tokens
    this.read += end - start
  }

  get value(): number {
    const isEnough = this.read >= ENOUGH_CHARACTERS
    const read = isEnough ? this.read : this.read + this.#shortRead
    const tokens = isEnough ? this.#tokens : this.#tokens + this.#shortTokens
    return read === 0 ? USUAL_DENSITY : tokens / read
  }
}

function isData(text: string): boolean {
  for (let at = 0; at < READ_PER_TEXT; at += 1) {
    const kind = KIND_OF[text.charCodeAt(at)] as number
    if (kind === SPACE || kind === NEWLINE || kind > UPPER) return false
  }
  return true
}
