import type { DescribeSystem } from '../../../manage/ports/console.ts'
import { SystemStatus } from '../../../vocabulary/system.ts'
import { definer, one } from '../endpoint.ts'

export const systemEndpoint = definer<DescribeSystem>()({
  tag: 'History',
  access: 'operator',
  method: 'GET',
  path: '/system',
  id: 'showSystem',
  summary: 'Show the status of the gateway',
  description:
    'This node, all known nodes, database, Redis and journal, and all settings that are not secret.',
  query: {},
  answer: one(SystemStatus, 'The current status.'),
  handle: (describeSystem) => describeSystem(),
})
