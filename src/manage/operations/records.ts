import { isDeepStrictEqual } from 'node:util'
import {
  type AnyRecord,
  RECORD_ID,
  RECORD_ID_RULE,
  type RecordFields,
  type RecordKind,
} from '../../vocabulary/records/record.ts'
import type { RecordOperations } from '../ports/records.ts'
import { pageOf } from './paging.ts'
import type { ChangeQueue } from './parts.ts'
import { refuse, requireFound } from './refuse.ts'

/** What operators do with one kind of record. Nothing is published: requests do not depend on records. */
export function recordOperations<F extends RecordFields>(
  { parts, makeChange }: ChangeQueue,
  kind: RecordKind<string, F>,
): RecordOperations<F> {
  const { shape, subject, noun, positionOf } = kind
  const table = parts.storage.records(kind)
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
        const action = `${subject}.${before === null ? 'created' : 'changed'}`
        const states = { before: before && shape.show(before), after: shape.show(after) }
        await table.save(after, change.audit(action, id, states))
        return after
      }),
    delete: (id, actor) =>
      makeChange(actor, async (change) => {
        const states = { before: shape.show(await find(id)), after: null }
        await table.remove(id, change.audit(`${subject}.deleted`, id, states))
      }),
  }
}

function checkId({ noun }: AnyRecord, id: string): void {
  if (!RECORD_ID.test(id)) refuse('id', `The id of a ${noun} is ${RECORD_ID_RULE}.`)
}
