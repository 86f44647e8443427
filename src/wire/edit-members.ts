import { closingQuote, endOfValue, skipWhitespace } from './json-members.ts'

/** Changes to the members of a JSON object. A path such as `a.b` names a nested member. */
export interface MemberEdits {
  readonly removed: readonly string[]
  /** New names by old ones, for top-level members only. A member that already has the new name is removed. */
  readonly renamed?: Readonly<Record<string, string>>
}

export interface EditedText {
  readonly text: string
  /** The paths that were found and removed. */
  readonly removed: readonly string[]
}

interface Member {
  readonly name: string
  readonly nameStart: number
  readonly nameEnd: number
  readonly valueStart: number
  readonly valueEnd: number
}

/** Ignores case and underscores: suppliers name `presencePenalty` and mean `presence_penalty`. */
export function isSameName(one: string, other: string): boolean {
  return plainName(one) === plainName(other)
}

function plainName(name: string): string {
  return (name.includes('_') ? name.replaceAll('_', '') : name).toLowerCase()
}

/**
 * Removes or renames members in the text of a JSON object. All other characters stay the same, so that no number is
 * written differently. The text must be valid JSON; anything but an object has no members.
 */
export function editMembers(text: string, edits: MemberEdits): EditedText {
  const members = listMembers(text)
  const paths = edits.removed.map(splitPath)
  const renamed = Object.entries(edits.renamed ?? {}).filter(([name]) => hasMember(members, name))
  const replaced = new Set(renamed.map(([, name]) => name))
  const removed = new Set<string>()
  const pieces: Piece[] = []
  for (const member of members) {
    const piece = editMember(text, member, { paths, removed })
    const newName = renamed.length === 0 ? undefined : renamed.find(([name]) => name === member.name)?.[1]
    if (piece === null || (replaced.has(member.name) && newName === undefined)) continue
    pieces.push(newName === undefined ? piece : { ...piece, name: JSON.stringify(newName) })
  }
  const isUnchanged = removed.size === 0 && renamed.length === 0
  return { text: isUnchanged ? text : writeObject(text, members, pieces), removed: [...removed] }
}

/** The JSON text of a member, by name or by a path such as `a.b`; null when there is none. */
export function readMember(text: string, path: string): string | null {
  const [first = '', ...rest] = path.split('.')
  const member = listMembers(text).find(({ name }) => isSameName(name, first))
  if (member === undefined) return null
  const value = text.slice(member.valueStart, member.valueEnd)
  return rest.length === 0 ? value : readMember(value, rest.join('.'))
}

/** A member that stays. */
interface Piece {
  readonly member: Member
  /** JSON texts. */
  readonly name: string
  readonly value: string
}

/** A path to remove, with its first name normalised for comparison. */
interface RemovedPath {
  readonly path: string
  readonly first: string
  /** The path within the member; empty to remove the member itself. */
  readonly rest: string
}

function splitPath(path: string): RemovedPath {
  const [first = '', ...rest] = path.split('.')
  return { path, first: plainName(first), rest: rest.join('.') }
}

interface Editing {
  readonly paths: readonly RemovedPath[]
  /** Collects the paths that were found. */
  readonly removed: Set<string>
}

/** null when the member is removed. */
function editMember(text: string, member: Member, { paths, removed }: Editing): Piece | null {
  const name = text.slice(member.nameStart, member.nameEnd)
  let value = text.slice(member.valueStart, member.valueEnd)
  const plain = plainName(member.name)
  for (const { path, first, rest } of paths) {
    if (first !== plain) continue
    if (rest === '') {
      removed.add(path)
      return null
    }
    const inner = editMembers(value, { removed: [rest] })
    if (inner.removed.length > 0) removed.add(path)
    value = inner.text
  }
  return { member, name, value }
}

/** Keeps the text around the members; white space between them is dropped. */
function writeObject(text: string, members: readonly Member[], pieces: readonly Piece[]): string {
  const first = members[0]
  const last = members.at(-1)
  if (first === undefined || last === undefined) return text
  const written = pieces.map(
    ({ member, name, value }) => `${name}${text.slice(member.nameEnd, member.valueStart)}${value}`,
  )
  return `${text.slice(0, first.nameStart)}${written.join(',')}${text.slice(last.valueEnd)}`
}

function hasMember(members: readonly Member[], name: string): boolean {
  return members.some((member) => member.name === name)
}

// Most names have no escapes, and parsing each one would take longer than finding it.
function readName(text: string, start: number, end: number): string {
  const inner = text.slice(start + 1, end - 1)
  return inner.includes('\\') ? String(JSON.parse(text.slice(start, end))) : inner
}

function listMembers(text: string): Member[] {
  const members: Member[] = []
  const open = skipWhitespace(text, 0)
  if (text[open] !== '{') return members
  let nameStart = skipWhitespace(text, open + 1)
  while (text[nameStart] === '"') {
    const nameEnd = closingQuote(text, nameStart) + 1
    const valueStart = skipWhitespace(text, skipWhitespace(text, nameEnd) + 1)
    const valueEnd = endOfValue(text, valueStart)
    const name = readName(text, nameStart, nameEnd)
    members.push({ name, nameStart, nameEnd, valueStart, valueEnd })
    const after = skipWhitespace(text, valueEnd)
    nameStart = text[after] === ',' ? skipWhitespace(text, after + 1) : text.length
  }
  return members
}
