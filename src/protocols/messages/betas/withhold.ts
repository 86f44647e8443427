import { editMembers, readMember } from '../../../wire/edit-members.ts'
import { findTopLevelMembers, type Replacement, replaceMembers } from '../../../wire/json-members.ts'
import type { BetaRules, BetaSplit, FittedBody } from '../../translation.ts'
import { MessagesRequestSchema } from '../request/schema.ts'
import { BODY_HALVES, type BodyHalf, featureOf, GENERAL_MEMBERS, WITHOUT_BODY } from './pairs.ts'
import { removeParts } from './remove-parts.ts'

const KNOWN_MEMBERS: ReadonlySet<string> = new Set([
  ...Object.keys(MessagesRequestSchema.properties),
  ...GENERAL_MEMBERS,
])

export const MESSAGES_BETAS: BetaRules = { header: 'anthropic-beta', withhold, useful }

/** The body without what the withheld betas are for. Throws when the request is about it. */
function withhold(body: string, { sent, withheld }: BetaSplit): FittedBody {
  const kept = halvesOf(sent)
  const gone = withoutShared(halvesOf(withheld), kept)
  const edited = editMembers(body, {
    removed: [...membersOf(body, gone), ...strangersIn(body, sent, withheld)],
  })
  const parts = removeFromLists(edited.text, gone)
  const named = withheld.filter((beta) => !WITHOUT_BODY.has(featureOf(beta)))
  return { text: parts.text, dropped: [...named, ...edited.removed, ...parts.removed] }
}

/** Those of the betas that still have something to ask for when these members are gone. */
function useful(betas: readonly string[], removed: readonly string[]): readonly string[] {
  return betas.filter((beta) => {
    const half = BODY_HALVES[featureOf(beta)]
    return !removed.some((path) => half?.members?.includes(path) || half?.valued?.[path] !== undefined)
  })
}

function halvesOf(betas: readonly string[]): BodyHalf[] {
  return betas.flatMap((beta) => BODY_HALVES[featureOf(beta)] ?? [])
}

type Names =
  | 'members'
  | 'tools'
  | 'toolMembers'
  | 'messageMembers'
  | 'cacheMembers'
  | 'blocks'
  | 'calls'
  | 'matter'
const NAMES: readonly Names[] = [
  'members',
  'tools',
  'toolMembers',
  'messageMembers',
  'cacheMembers',
  'blocks',
  'calls',
  'matter',
]

/** What several features have in common stays as long as one of them does. */
function withoutShared(gone: readonly BodyHalf[], kept: readonly BodyHalf[]): BodyHalf {
  const rest: { -readonly [Name in keyof BodyHalf]: BodyHalf[Name] } = {}
  for (const name of NAMES) {
    const shared = new Set(kept.flatMap((half) => half[name] ?? []))
    const own = gone.flatMap((half) => half[name] ?? []).filter((value) => !shared.has(value))
    if (own.length > 0) rest[name] = [...new Set(own)]
  }
  rest.valued = Object.assign({}, ...gone.map(({ valued }) => valued))
  if (gone.some(({ systemTurns }) => systemTurns) && !kept.some(({ systemTurns }) => systemTurns)) {
    rest.systemTurns = true
  }
  return rest
}

function membersOf(body: string, { members = [], valued = {} }: BodyHalf): string[] {
  const valuedHere = Object.entries(valued).filter(([path, text]) => readMember(body, path)?.includes(text))
  return [...members, ...valuedHere.map(([path]) => path)]
}

/**
 * Members that nobody here knows, when an unknown beta is withheld and no unknown one is sent: they are its other half.
 */
function strangersIn(body: string, sent: readonly string[], withheld: readonly string[]): string[] {
  if (!withheld.some(isUnknown) || sent.some(isUnknown)) return []
  const kept = new Set(halvesOf(sent).flatMap(({ members = [] }) => members))
  return [...findTopLevelMembers(body).keys()].filter(
    (name) => !KNOWN_MEMBERS.has(name) && !kept.has(name) && !name.includes('.'),
  )
}

function isUnknown(beta: string): boolean {
  const feature = featureOf(beta)
  return !Object.hasOwn(BODY_HALVES, feature) && !WITHOUT_BODY.has(feature)
}

const LISTS = ['tools', 'system', 'messages'] as const

function removeFromLists(body: string, gone: BodyHalf): { text: string; removed: string[] } {
  if (!markersOf(gone).some((marker) => body.includes(marker))) return { text: body, removed: [] }
  const members = findTopLevelMembers(body)
  const removed = new Set<string>()
  const replacements: Replacement[] = []
  for (const list of LISTS) {
    const span = members.get(list)
    if (span === undefined) continue
    const json = removeParts(body.slice(span.start, span.end), { list, gone, removed })
    if (json !== null) replacements.push({ span, json })
  }
  const text = replacements.length === 0 ? body : replaceMembers(body, replacements)
  return { text, removed: [...removed] }
}

/** A body without these texts has nothing to remove from its lists, and need not be parsed. */
function markersOf({
  tools = [],
  toolMembers = [],
  messageMembers = [],
  cacheMembers = [],
  blocks = [],
  calls = [],
  matter = [],
  systemTurns,
}: BodyHalf): string[] {
  const names = [...toolMembers, ...messageMembers, ...cacheMembers, ...blocks, ...calls, ...matter]
  const quoted = [...names, ...(systemTurns ? ['system'] : [])].map((name) => `"${name}"`)
  return [...quoted, ...tools.map((type) => `"${type}`)]
}
