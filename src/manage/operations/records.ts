import { isDeepStrictEqual } from 'node:util'
import { findTierProblem } from '../../rules/accounts/check-tiers.ts'
import { findMarkUpProblem } from '../../rules/accounts/mark-ups.ts'
import { withAliases, withMarkUps, withTiers, withWildcards } from '../../rules/catalog/build-snapshot.ts'
import { findAliasProblem, findWildcardProblem } from '../../rules/catalog/check-names.ts'
import { type Alias, Aliases } from '../../vocabulary/records/alias.ts'
import { type MarkUp, MarkUps } from '../../vocabulary/records/mark-up.ts'
import {
  type AnyRecord,
  RECORD_ID,
  RECORD_ID_RULE,
  type RecordFields,
  type RecordKind,
} from '../../vocabulary/records/record.ts'
import { type Tier, Tiers } from '../../vocabulary/records/tier.ts'
import { type Wildcard, Wildcards } from '../../vocabulary/records/wildcard.ts'
import type { Snapshot } from '../../vocabulary/runtime/snapshot.ts'
import type { RecordOperations, RecordTable } from '../ports/records.ts'
import { pageOf } from './paging.ts'
import type { Change, ChangeQueue, OperationParts } from './parts.ts'
import { refuse, requireFound, requireNotNegative, requireSane } from './refuse.ts'

/** What operators do with one kind of record. Those that are configuration are put in force. */
export function recordOperations<F extends RecordFields>(
  { parts, makeChange }: ChangeQueue,
  kind: RecordKind<string, F>,
): RecordOperations<F> {
  const { shape, subject, noun, positionOf } = kind
  const table = parts.storage.records(kind)
  const rules = RULES.get(kind.table)
  const list = async () => kind.inForce(await table.list())
  // All are listed, because the built-in ones have no row.
  const look = async (id: string) => (await list()).find((value) => hasId(value, id)) ?? null
  return {
    list: async (page) => pageOf(await list(), page, positionOf),
    listAll: async () => {
      const limit = Number.POSITIVE_INFINITY
      return pageOf(await list(), { limit, cursor: null }, positionOf).data
    },
    find: async (id) => requireFound(await look(id), noun, id),
    put: (id, settings, actor) =>
      makeChange(actor, async (change) => {
        checkId(kind, id)
        const before = await look(id)
        const after = kind.complete(id, settings)
        if (isDeepStrictEqual(before, after)) return after
        rules?.check(after, await table.list(), change.snapshot)
        await rules?.prepare?.(parts)
        const action = `${subject}.${before === null ? 'created' : 'changed'}`
        const states = { before: before && shape.show(before), after: shape.show(after) }
        await table.save(after, change.audit(action, id, states))
        await publish(change, table, rules)
        return after
      }),
    delete: (id, actor) =>
      makeChange(actor, async (change) => {
        const before = requireFound(await look(id), noun, id)
        const stored = await table.list()
        const others = stored.filter((value) => !hasId(value, id))
        if (others.length === stored.length)
          refuse('id', `The ${noun} "${id}" is built in; it can only be changed.`)
        rules?.checkRemoval?.(others, change.snapshot)
        const states = { before: shape.show(before), after: null }
        await table.remove(id, change.audit(`${subject}.deleted`, id, states))
        await publish(change, table, rules)
      }),
  }
}

function hasId(value: object, id: string): boolean {
  return 'id' in value && value.id === id
}

function checkId({ noun }: AnyRecord, id: string): void {
  if (!RECORD_ID.test(id)) refuse('id', `The id of a ${noun} is ${RECORD_ID_RULE}.`)
}

/** What a kind of record that is configuration needs besides its table. */
interface ConfigurationRules<Value> {
  /** Refuses a value that cannot be in force beside the stored ones. */
  check(value: Value, stored: readonly Value[], snapshot: Snapshot): void
  /** Refuses to leave only these. */
  checkRemoval?(others: readonly Value[], snapshot: Snapshot): void
  putInForce(snapshot: Snapshot, stored: readonly Value[]): Snapshot
  /** Loads what requests need once it is in force. */
  prepare?(parts: OperationParts): Promise<unknown>
}

const MARK_UP_RULES: ConfigurationRules<MarkUp> = {
  check: (markUp, stored, snapshot) => {
    const problem = findMarkUpProblem(markUp, stored, snapshot)
    if (problem !== null) refuse('name', problem)
  },
  putInForce: withMarkUps,
}

const ALIAS_RULES: ConfigurationRules<Alias> = {
  check: (alias, stored, snapshot) => {
    const problem = findAliasProblem(alias, stored, { ...snapshot, models: snapshot.supply.models })
    if (problem !== null) refuse(problem.param, problem.message)
  },
  putInForce: withAliases,
}

const WILDCARD_RULES: ConfigurationRules<Wildcard> = {
  check: (wildcard, stored, snapshot) => {
    const problem = findWildcardProblem(wildcard, stored, snapshot.supply.suppliers)
    if (problem !== null) refuse(problem.param, problem.message)
  },
  putInForce: withWildcards,
  prepare: ({ loadPriceList }) => loadPriceList(),
}

const TIER_RULES: ConfigurationRules<Tier> = {
  check: (tier, stored, snapshot) => {
    requireNotNegative(tier.earnedAtPaidNano ?? 0n, 'earned_at')
    requireSane(tier.earnedAtPaidNano ?? 0n, 'earned_at')
    checkTiers([...stored.filter(({ id }) => id !== tier.id), tier], snapshot)
  },
  checkRemoval: checkTiers,
  putInForce: withTiers,
}

function checkTiers(tiers: readonly Tier[], snapshot: Snapshot): void {
  const problem = findTierProblem(tiers, snapshot)
  if (problem !== null) refuse(problem.param, problem.message)
}

// biome-ignore lint/suspicious/noExplicitAny: a table is only ever used with the rules of its own kind.
const RULES: ReadonlyMap<string, ConfigurationRules<any>> = new Map<string, ConfigurationRules<any>>([
  [MarkUps.table, MARK_UP_RULES],
  [Aliases.table, ALIAS_RULES],
  [Wildcards.table, WILDCARD_RULES],
  [Tiers.table, TIER_RULES],
])

async function publish<F extends RecordFields>(
  change: Change,
  table: RecordTable<F>,
  rules: ReturnType<(typeof RULES)['get']>,
): Promise<void> {
  if (rules === undefined) return
  const stored = await table.list()
  change.publish((snapshot) => rules.putInForce(snapshot, stored))
}
