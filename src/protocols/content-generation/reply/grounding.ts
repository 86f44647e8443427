import type { Citation } from '../../../conversation/part.ts'
import { asArray, asObject, asText, type JsonObject } from '../../../wire/json-values.ts'

/** A citation whose offsets are positions in the whole text of the candidate. */
type PlacedCitation = Citation

/** The sources of a candidate. Suppliers list each source once and refer to text by UTF-8 byte offsets. */
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

/** Sources of text that the model quoted verbatim. */
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

/** Bounds quoted passages: thousands of sources may refer to the same long text. */
const MAX_QUOTED_CHARACTERS = 1_000

function quote(places: TextPlaces, start: number, end: number): string {
  return places.slice(start, Math.min(end, start + MAX_QUOTED_CHARACTERS))
}

function decodeSegment(segment: JsonObject | null, places: TextPlaces): Omit<Citation, 'url' | 'title'> {
  const end = segment?.endIndex
  // Protocol buffers omit zeros.
  const firstByte = segment?.startIndex ?? 0
  if (!isOffset(firstByte) || !isOffset(end) || firstByte > end || end > places.byteLength)
    return { ...NOWHERE, citedText: asText(segment?.text) }
  const place = { start: places.characterOfByte(firstByte), end: places.characterOfByte(end) }
  return { citedText: asText(segment?.text) ?? quote(places, place.start, place.end), ...place }
}

function isOffset(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
}

/** Encodes sources for a client of this format. */
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

/** Each source once, in order, with its first title. */
function titlesByUrl(citations: readonly PlacedCitation[]): Map<string, string | null> {
  const titles = new Map<string, string | null>()
  for (const { url, title } of citations) titles.set(url, titles.get(url) ?? title)
  return titles
}

const BLOCK_CHARACTERS = 512

interface Block {
  readonly text: string
  /** Where it begins, in characters and in UTF-8 bytes. */
  readonly start: number
  readonly firstByte: number
}

/** Converts between character and UTF-8 byte offsets of a growing text without scanning it from the start. */
export class TextPlaces {
  readonly #blocks: Block[] = []
  length = 0
  byteLength = 0

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

  /** Binary search for the last block that satisfies `isBefore`. */
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

/** Never splits a surrogate pair. */
function endOfBlock(text: string, from: number): number {
  const end = from + BLOCK_CHARACTERS
  const unit = text.charCodeAt(end - 1)
  return unit >= 0xd800 && unit <= 0xdbff ? end - 1 : Math.min(end, text.length)
}
