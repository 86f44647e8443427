import { isDeepStrictEqual } from 'node:util'
import { findMarkUpProblem } from '../../rules/accounts/mark-ups.ts'
import { withAliases, withMarkUps, withWildcards } from '../../rules/catalog/build-snapshot.ts'
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
import { type Wildcard, Wildcards } from '../../vocabulary/records/wildcard.ts'
import type { Snapshot } from '../../vocabulary/runtime/snapshot.ts'
import type { RecordOperations, RecordTable } from '../ports/records.ts'
import { pageOf } from './paging.ts'
import type { Change, ChangeQueue, OperationParts } from './parts.ts'
import { refuse, requireFound } from './refuse.ts'

/** What operators do with one kind of record. Those that are configuration are put in force. */
export function recordOperations<F extends RecordFields>(
  { parts, makeChange }: ChangeQueue,
  kind: RecordKind<string, F>,
): RecordOperations<F> {
  const { shape, subject, noun, positionOf } = kind
  const table = parts.storage.records(kind)
  const rules = RULES.get(kind.table)
  const find = async (id: string) => requireFound(await table.find(id), noun, id)
  return {
    list: async (page) => pageOf(await table.list(), page, positionOf),
    listAll: async () => {
      const limit = Number.POSITIVE_INFINITY
      return pageOf(await table.list(), { limit, cursor: null }, positionOf).data
    },
    find,
    put: (id, settings, actor) =>
      makeChange(actor, async (change) => {
        checkId(kind, id)
        const before = await table.find(id)
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
        const states = { before: shape.show(await find(id)), after: null }
        await table.remove(id, change.audit(`${subject}.deleted`, id, states))
        await publish(change, table, rules)
      }),
  }
}

function checkId({ noun }: AnyRecord, id: string): void {
  if (!RECORD_ID.test(id)) refuse('id', `The id of a ${noun} is ${RECORD_ID_RULE}.`)
}

/** What a kind of record that is configuration needs besides its table. */
interface ConfigurationRules<Value> {
  /** Refuses a value that cannot be in force beside the stored ones. */
  check(value: Value, stored: readonly Value[], snapshot: Snapshot): void
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

// biome-ignore lint/suspicious/noExplicitAny: a table is only ever used with the rules of its own kind.
const RULES: ReadonlyMap<string, ConfigurationRules<any>> = new Map<string, ConfigurationRules<any>>([
  [MarkUps.table, MARK_UP_RULES],
  [Aliases.table, ALIAS_RULES],
  [Wildcards.table, WILDCARD_RULES],
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
