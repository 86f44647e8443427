import type { DescribeSystem } from '../../../manage/ports/console.ts'
import { SystemStatus } from '../../../vocabulary/system.ts'
import { definer, one } from '../endpoint.ts'

export const systemEndpoint = definer<DescribeSystem>()({
  tag: 'History',
  access: 'operator',
  method: 'GET',
  path: '/system',
  id: 'showSystem',
  summary: 'Show how the gateway is doing',
  description:
    'The node that answers, all nodes that are known, database, Redis and journal, and the settings that are no secret.',
  query: {},
  answer: one(SystemStatus, 'How it is now.'),
  handle: (describeSystem) => describeSystem(),
})
