import type { Citation } from '../../../conversation/part.ts'
import { asArray, asObject, asText, type JsonObject } from '../../../wire/json-values.ts'

/** A citation whose offsets are positions in all the text of its candidate. */
type PlacedCitation = Citation

/**
 * The sources a candidate names. Suppliers count in bytes of UTF-8 over the whole text, and name each source once,
 * whichever sentences lean on it.
 */
export function decodeGrounding(candidate: JsonObject, places: TextPlaces): PlacedCitation[] {
  return [...decodeSupports(candidate, places), ...decodeSources(candidate, places)]
}

function decodeSupports(candidate: JsonObject, places: TextPlaces): PlacedCitation[] {
  const grounding = asObject(candidate.groundingMetadata)
  if (grounding === null) return []
  const sources = asArray(grounding.groundingChunks).map((chunk) => {
    const web = asObject(asObject(chunk)?.web)
    return { url: asText(web?.uri), title: asText(web?.title) }
  })
  const supports = asArray(grounding.groundingSupports).map((support) => asObject(support) ?? {})
  const supported = supports.flatMap(({ segment, groundingChunkIndices }) => {
    const place = decodeSegment(asObject(segment), places)
    return asArray(groundingChunkIndices).map((index) => ({ index, place }))
  })
  const named = new Set(supported.map(({ index }) => index))
  const unsupported = sources.flatMap((_, index) => (named.has(index) ? [] : [{ index, place: NOWHERE }]))
  return [...supported, ...unsupported].flatMap(({ index, place }) => {
    const { url = null, title = null } = (isOffset(index) ? sources[index] : undefined) ?? {}
    return url === null ? [] : [{ url, title, ...place }]
  })
}

/** Where text was taken from word for word. */
function decodeSources(candidate: JsonObject, places: TextPlaces): PlacedCitation[] {
  const metadata = asObject(candidate.citationMetadata)
  return asArray(metadata?.citationSources ?? metadata?.citations).flatMap((source) => {
    const { uri, title, startIndex, endIndex } = asObject(source) ?? {}
    const url = asText(uri)
    if (url === null) return []
    return [{ url, title: asText(title), ...decodeSegment({ startIndex, endIndex }, places) }]
  })
}

const NOWHERE = { citedText: null, start: null, end: null }

/** Of a passage that is named by its place alone: thousands of sources may name the same long text. */
const MAX_QUOTED_CHARACTERS = 1_000

function quote(places: TextPlaces, start: number, end: number): string {
  return places.slice(start, Math.min(end, start + MAX_QUOTED_CHARACTERS))
}

function decodeSegment(segment: JsonObject | null, places: TextPlaces): Omit<Citation, 'url' | 'title'> {
  const end = segment?.endIndex
  // Protocol buffers leave out a zero.
  const firstByte = segment?.startIndex ?? 0
  if (!isOffset(firstByte) || !isOffset(end) || firstByte > end || end > places.byteLength)
    return { ...NOWHERE, citedText: asText(segment?.text) }
  const place = { start: places.characterOfByte(firstByte), end: places.characterOfByte(end) }
  return { citedText: asText(segment?.text) ?? quote(places, place.start, place.end), ...place }
}

function isOffset(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
}

/** The other way: sources as a client of this format reads them. */
export function encodeGrounding(citations: readonly PlacedCitation[], text: string): JsonObject {
  if (citations.length === 0) return {}
  const titles = titlesByUrl(citations)
  const groundingChunks = [...titles].map(([url, title]) => ({ web: { uri: url, ...(title && { title }) } }))
  const chunkOf = new Map([...titles.keys()].map((url, index) => [url, index]))
  const places = new TextPlaces()
  places.append(text)
  const groundingSupports = citations.flatMap(({ url, start, end, citedText }) => {
    if (start === null || end === null) return []
    const segment = {
      startIndex: places.byteOfCharacter(start),
      endIndex: places.byteOfCharacter(end),
      text: citedText ?? quote(places, start, end),
    }
    return [{ segment, groundingChunkIndices: [chunkOf.get(url)] }]
  })
  return { groundingMetadata: { groundingChunks, groundingSupports } }
}

/** Each source once, in the order they are named, with the first title it is given. */
function titlesByUrl(citations: readonly PlacedCitation[]): Map<string, string | null> {
  const titles = new Map<string, string | null>()
  for (const { url, title } of citations) titles.set(url, titles.get(url) ?? title)
  return titles
}

const BLOCK_CHARACTERS = 512

interface Block {
  readonly text: string
  /** Where it begins, in characters and in bytes of UTF-8. */
  readonly start: number
  readonly firstByte: number
}

/** Places in a text as characters and as bytes of UTF-8, without walking the text from its beginning for each. */
export class TextPlaces {
  readonly #blocks: Block[] = []
  length = 0
  byteLength = 0

  /** More of the text. */
  append(text: string): void {
    const last = this.#blocks.pop()
    const all = (last?.text ?? '') + text
    this.length = last?.start ?? this.length
    this.byteLength = last?.firstByte ?? this.byteLength
    for (let from = 0; from < all.length; ) {
      const to = endOfBlock(all, from)
      this.#add(all.slice(from, to))
      from = to
    }
  }

  characterOfByte(byte: number): number {
    const block = this.#find((each) => each.firstByte <= byte)
    if (block === undefined) return 0
    return block.start + Buffer.from(block.text).toString('utf8', 0, byte - block.firstByte).length
  }

  byteOfCharacter(character: number): number {
    const block = this.#find((each) => each.start <= character)
    if (block === undefined) return 0
    return block.firstByte + Buffer.byteLength(block.text.slice(0, character - block.start))
  }

  slice(start: number, end: number): string {
    let text = ''
    let at = this.#indexOf((each) => each.start <= start)
    for (let block = this.#blocks[at]; block !== undefined && block.start < end; block = this.#blocks[++at]) {
      text += block.text.slice(Math.max(0, start - block.start), end - block.start)
    }
    return text
  }

  #add(text: string): void {
    this.#blocks.push({ text, start: this.length, firstByte: this.byteLength })
    this.length += text.length
    this.byteLength += Buffer.byteLength(text)
  }

  #find(isBefore: (block: Block) => boolean): Block | undefined {
    return this.#blocks[this.#indexOf(isBefore)]
  }

  /** The last block for which it is true; it is true of the first and false from some block on. */
  #indexOf(isBefore: (block: Block) => boolean): number {
    let low = 0
    let high = this.#blocks.length - 1
    while (low < high) {
      const middle = Math.ceil((low + high) / 2)
      const block = this.#blocks[middle]
      if (block !== undefined && isBefore(block)) low = middle
      else high = middle - 1
    }
    return low
  }
}

/** Never between the two halves of a character beyond the first 65,536. */
function endOfBlock(text: string, from: number): number {
  const end = from + BLOCK_CHARACTERS
  const unit = text.charCodeAt(end - 1)
  return unit >= 0xd800 && unit <= 0xdbff ? end - 1 : Math.min(end, text.length)
}
