import type { KeptReply } from '../../../../serve/ports/state/reply-store.ts'

export type Content = Pick<KeptReply, 'inputItems' | 'reply'>

/** Lets other work of the process run. */
export type NextTurn = () => Promise<void>

export const nextTurn: NextTurn = () => new Promise((resolve) => setImmediate(resolve))

/** Stored content: a small head, and pieces of limited length for the rest. */
export interface PackedContent {
  readonly head: string
  readonly pieces: readonly string[]
}

/** Returns the pieces from one number up to, and not including, another. */
export type ReadPieces = (from: number, to: number) => Promise<readonly string[]>

const MAX_INLINE_CHARACTERS = 64 * 1_024
export const MAX_PIECE_CHARACTERS = 256 * 1_024
// Images and files in requests are never nested deeper.
const MAX_LIFT_DEPTH = 16

type Path = readonly (string | number)[]

/** A long text in separate pieces, so that it is neither escaped nor parsed. */
interface LongText {
  readonly at: Path
  readonly pieces: number
}

/** A JSON value in pieces: first its JSON, then its long texts. */
interface Part {
  readonly pieces: number
  readonly texts: readonly LongText[]
}

/** The reply is the first part; the others are lists of input items. */
interface PartedHead {
  readonly parts: readonly Part[]
}

interface InlineHead {
  readonly reply: Content['reply']
  readonly input: readonly unknown[]
}

/** The content format of earlier versions. */
type Head = PartedHead | InlineHead | Content

export async function packContent({ inputItems, reply }: Content, turn: NextTurn): Promise<PackedContent> {
  const parts = [partOf(reply)]
  let items: unknown[] = []
  let characters = 0
  for (const item of inputItems) {
    const lifted = liftTexts(item)
    const json = JSON.stringify(lifted.value) ?? 'null'
    items.push({ json, texts: lifted.texts })
    characters += json.length
    if (characters < MAX_PIECE_CHARACTERS) continue
    parts.push(partOfItems(items as ItemJson[]))
    items = []
    characters = 0
    await turn()
  }
  if (items.length > 0) parts.push(partOfItems(items as ItemJson[]))
  return joinParts(parts)
}

interface ItemJson {
  readonly json: string
  readonly texts: readonly LiftedText[]
}

interface LiftedText {
  readonly at: Path
  readonly text: string
}

function partOf(value: unknown): ItemJson {
  const { value: rest, texts } = liftTexts(value)
  return { json: JSON.stringify(rest), texts }
}

function partOfItems(items: readonly ItemJson[]): ItemJson {
  return {
    json: `[${items.map(({ json }) => json).join(',')}]`,
    texts: items.flatMap(({ texts }, index) => texts.map(({ at, text }) => ({ at: [index, ...at], text }))),
  }
}

function joinParts(parts: readonly ItemJson[]): PackedContent {
  const [reply, input] = parts
  const characters = parts.reduce((sum, { json }) => sum + json.length, 0)
  const hasTexts = parts.some(({ texts }) => texts.length > 0)
  if (parts.length <= 2 && characters <= MAX_INLINE_CHARACTERS && !hasTexts) {
    return { head: `{"reply":${reply?.json ?? '{}'},"input":${input?.json ?? '[]'}}`, pieces: [] }
  }
  const pieces: string[] = []
  const described = parts.map(({ json, texts }): Part => {
    const own = cut(json)
    pieces.push(...own)
    return {
      pieces: own.length,
      texts: texts.map(({ at, text }) => {
        const ofText = cut(text)
        pieces.push(...ofText)
        return { at, pieces: ofText.length }
      }),
    }
  })
  const head: PartedHead = { parts: described }
  return { head: JSON.stringify(head), pieces }
}

/** Never splits a surrogate pair: encrypting would lose both halves. */
function cut(text: string): string[] {
  const pieces: string[] = []
  let start = 0
  while (start < text.length) {
    let end = Math.min(start + MAX_PIECE_CHARACTERS, text.length)
    if (end < text.length && isFirstHalf(text.charCodeAt(end - 1))) end -= 1
    pieces.push(text.slice(start, end))
    start = end
  }
  return pieces
}

function isFirstHalf(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff
}

/** Replaces each long text by an empty one. Most values have none and are returned unchanged. */
function liftTexts(value: unknown): { readonly value: unknown; readonly texts: readonly LiftedText[] } {
  const texts: LiftedText[] = []
  const path: (string | number)[] = []
  const lift = (node: unknown): unknown => {
    if (typeof node === 'string') {
      // An unpaired surrogate survives only as JSON.
      if (node.length <= MAX_INLINE_CHARACTERS || !node.isWellFormed()) return node
      texts.push({ at: [...path], text: node })
      return ''
    }
    if (typeof node !== 'object' || node === null || path.length >= MAX_LIFT_DEPTH) return node
    const before = texts.length
    const entries = Array.isArray(node) ? node.map((child, index) => under(index, child)) : entriesOf(node)
    if (texts.length === before) return node
    return Array.isArray(node) ? entries : Object.fromEntries(entries as [string, unknown][])
  }
  const under = (key: string | number, child: unknown): unknown => {
    path.push(key)
    const lifted = lift(child)
    path.pop()
    return lifted
  }
  const entriesOf = (node: object) => Object.entries(node).map(([key, child]) => [key, under(key, child)])
  return { value: lift(value), texts }
}

/** Only the reply; the input may be much larger. */
export async function unpackReply(headText: string, read: ReadPieces): Promise<Content['reply']> {
  const head: Head = JSON.parse(headText)
  if (!('parts' in head)) return head.reply
  const [part] = head.parts
  return (part === undefined ? {} : await readPart(part, 0, read)) as Content['reply']
}

export async function unpackContent(headText: string, read: ReadPieces, turn: NextTurn): Promise<Content> {
  const head: Head = JSON.parse(headText)
  if ('inputItems' in head) return { inputItems: head.inputItems, reply: head.reply }
  if ('input' in head) return { inputItems: head.input, reply: head.reply }
  const values: unknown[] = []
  let from = 0
  for (const part of head.parts) {
    values.push(await readPart(part, from, read))
    from += piecesOf(part)
    await turn()
  }
  const [reply, ...inputs] = values
  return { reply: reply as Content['reply'], inputItems: (inputs as unknown[][]).flat() }
}

/** Whether it contains the whole input of the model, as all content of earlier versions did. */
export function isWholeHistory(headText: string): boolean {
  return headText.startsWith('{"inputItems"')
}

function piecesOf({ pieces, texts }: Part): number {
  return texts.reduce((sum, text) => sum + text.pieces, pieces)
}

async function readPart(part: Part, from: number, read: ReadPieces): Promise<unknown> {
  const value: unknown = JSON.parse((await read(from, from + part.pieces)).join(''))
  let next = from + part.pieces
  for (const { at, pieces } of part.texts) {
    put(value, at, (await read(next, next + pieces)).join(''))
    next += pieces
  }
  return value
}

function put(value: unknown, at: Path, text: string): void {
  let node = value as Record<string | number, unknown>
  for (const key of at.slice(0, -1)) node = node[key] as Record<string | number, unknown>
  const last = at.at(-1)
  if (last !== undefined) node[last] = text
}
