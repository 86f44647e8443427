import type { Operations } from '../../../../manage/ports/operations.ts'
import { IssuedSink, SinkChange, SinkPut, SinkView } from '../../../../vocabulary/observability/sink.ts'
import { DELETED, definer, one, wholeListOf } from '../../endpoint.ts'

const define = definer<Operations>()
const common = { tag: 'Sinks', access: 'operator' } as const

export const sinkEndpoints = [
  define({
    ...common,
    method: 'GET',
    path: '/sinks',
    id: 'listSinks',
    summary: 'List sinks and their progress',
    answer: wholeListOf(SinkView),
    handle: (operations) => operations.listSinks(),
  }),
  define({
    ...common,
    method: 'GET',
    path: '/sinks/:id',
    id: 'showSink',
    summary: 'Show a sink',
    answer: one(SinkView),
    handle: (operations, { params }) => operations.findSink(params.id),
  }),
  define({
    ...common,
    method: 'PUT',
    path: '/sinks/:id',
    id: 'putSink',
    summary: 'Create or replace a sink',
    description:
      'A new sink gets what is stored from now on. The first answer contains the signing secret, which is never shown again.',
    body: SinkPut,
    answer: one(IssuedSink),
    handle: (operations, { params, body, actor }) => operations.putSink(params.id, body, actor),
  }),
  define({
    ...common,
    method: 'PATCH',
    path: '/sinks/:id',
    id: 'changeSink',
    summary: 'Change a sink',
    description: 'Fields that are left out stay as they are. Disabling a sink deletes what waits for it.',
    body: SinkChange,
    answer: one(IssuedSink),
    handle: (operations, { params, body, actor }) => operations.changeSink(params.id, body, actor),
  }),
  define({
    ...common,
    method: 'DELETE',
    path: '/sinks/:id',
    id: 'deleteSink',
    summary: 'Delete a sink and its queue',
    answer: DELETED,
    handle: async (operations, { params, actor }) => {
      await operations.deleteSink(params.id, actor)
      return params.id
    },
  }),
]
