import { type Diagnostics, Findings, ModelComparison } from '../../../manage/ports/diagnostics.ts'
import { definer, one } from '../endpoint.ts'

const define = definer<Diagnostics>()
const common = { tag: 'Suppliers', access: 'operator' } as const

/** Questions that are put on to the suppliers. */
export const doctorEndpoints = [
  define({
    ...common,
    // A question that costs money is no GET: browsers and proxies repeat those as they like.
    method: 'POST',
    path: '/doctor',
    id: 'examineSupply',
    summary: 'Call every supplier once',
    description: 'A short request with each active credential, which the suppliers charge for.',
    answer: one(Findings),
    handle: async (diagnostics) => ({ data: await diagnostics.examineSupply() }),
  }),
  define({
    ...common,
    method: 'GET',
    path: '/suppliers/:id/models',
    id: 'compareModels',
    summary: 'Compare models with the supplier',
    description:
      'Asks the supplier for its own list. `missing` is configured and not offered, `unknown` the other way round.',
    // The supplier itself is asked, and may fail.
    errors: [400, 401, 404, 429, 500, 502, 503, 504],
    answer: one(ModelComparison),
    handle: (diagnostics, { params }) => diagnostics.compareModels(params.id),
  }),
]
