import type { Operations } from '../../../../manage/ports/operations.ts'
import {
  AlertChannelChange,
  AlertChannelPut,
  AlertChannelView,
  ChannelTest,
  IssuedAlertChannel,
} from '../../../../vocabulary/observability/alert-channel.ts'
import { DELETED, definer, one, wholeListOf } from '../../endpoint.ts'

const define = definer<Operations>()
const common = { tag: 'Alerts', access: 'operator' } as const

export const alertChannelEndpoints = [
  define({
    ...common,
    method: 'GET',
    path: '/alert-channels',
    id: 'listAlertChannels',
    summary: 'List alert channels',
    answer: wholeListOf(AlertChannelView),
    handle: (operations) => operations.listAlertChannels(),
  }),
  define({
    ...common,
    method: 'GET',
    path: '/alert-channels/:id',
    id: 'showAlertChannel',
    summary: 'Show an alert channel',
    answer: one(AlertChannelView),
    handle: (operations, { params }) => operations.findAlertChannel(params.id),
  }),
  define({
    ...common,
    method: 'PUT',
    path: '/alert-channels/:id',
    id: 'putAlertChannel',
    summary: 'Create or replace an alert channel',
    description: 'The answer that creates a webhook contains its signing secret, which is never shown again.',
    body: AlertChannelPut,
    answer: one(IssuedAlertChannel),
    handle: (operations, { params, body, actor }) => operations.putAlertChannel(params.id, body, actor),
  }),
  define({
    ...common,
    method: 'PATCH',
    path: '/alert-channels/:id',
    id: 'changeAlertChannel',
    summary: 'Change an alert channel',
    description: 'Fields that are left out stay as they are, also an address that is not shown in full.',
    body: AlertChannelChange,
    answer: one(IssuedAlertChannel),
    handle: (operations, { params, body, actor }) => operations.changeAlertChannel(params.id, body, actor),
  }),
  define({
    ...common,
    method: 'DELETE',
    path: '/alert-channels/:id',
    id: 'deleteAlertChannel',
    summary: 'Delete an alert channel',
    answer: DELETED,
    handle: async (operations, { params, actor }) => {
      await operations.deleteAlertChannel(params.id, actor)
      return params.id
    },
  }),
  define({
    ...common,
    method: 'POST',
    path: '/alert-channels/:id/test',
    id: 'testAlertChannel',
    summary: 'Send a test to an alert channel',
    answer: one(ChannelTest),
    handle: async (operations, { params }) => {
      const failure = await operations.testAlertChannel(params.id)
      return { delivered: failure === null, failure }
    },
  }),
]
