import type { Operations } from '../../../manage/ports/operations.ts'
import type { RecordFields, RecordKind } from '../../../vocabulary/records/record.ts'
import { DELETED, definer, listOf, one } from '../endpoint.ts'

const define = definer<Operations>()

/** The endpoints of one kind of record. */
export function recordEndpoints<F extends RecordFields>(kind: RecordKind<string, F>) {
  const { shape, title, noun, plural, name, pluralName, slug } = kind
  const common = { tag: title, access: 'operator' } as const
  const path = `/${slug}/:id` as const
  return {
    list: define({
      ...common,
      method: 'GET',
      path: `/${slug}`,
      id: `list${pluralName}`,
      summary: `List ${plural}`,
      answer: listOf(shape),
      handle: (operations, { page }) => operations.records(kind).list(page),
    }),
    show: define({
      ...common,
      method: 'GET',
      path,
      id: `show${name}`,
      summary: `Show a ${noun}`,
      answer: one(shape),
      handle: (operations, { params }) => operations.records(kind).find(params.id),
    }),
    put: define({
      ...common,
      method: 'PUT',
      path,
      id: `put${name}`,
      summary: `Create or replace a ${noun}`,
      body: kind.body,
      answer: one(shape),
      handle: (operations, { params, body, actor }) => operations.records(kind).put(params.id, body, actor),
    }),
    delete: define({
      ...common,
      method: 'DELETE',
      path,
      id: `delete${name}`,
      summary: `Delete a ${noun}`,
      answer: DELETED,
      handle: async (operations, { params, actor }) => {
        await operations.records(kind).delete(params.id, actor)
        return params.id
      },
    }),
  }
}
