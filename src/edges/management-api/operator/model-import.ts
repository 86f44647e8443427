import { type ModelImport, ModelOffer, ModelsImport, ModelsImported } from '../../../manage/ports/prices.ts'
import { definer, one, wholeListOf } from '../endpoint.ts'

const define = definer<ModelImport>()
const common = { tag: 'Suppliers', access: 'operator' } as const

export const modelImportEndpoints = [
  define({
    ...common,
    method: 'GET',
    path: '/suppliers/:id/offers',
    id: 'listModelOffers',
    summary: 'List what a supplier offers, with prices',
    description: 'Fetches the list of models from the supplier, and the prices from the catalog.',
    // The supplier is called and may fail.
    errors: [400, 401, 404, 429, 500, 502, 503, 504],
    answer: wholeListOf(ModelOffer),
    handle: (models, { params }) => models.listOffers(params.id),
  }),
  define({
    ...common,
    method: 'POST',
    path: '/suppliers/:id/import',
    id: 'importModels',
    summary: 'Add models of a supplier',
    description:
      'Adds the models that are missing and their routes, at the prices of the catalog. All or none.',
    body: ModelsImport.draft,
    answer: one(ModelsImported, 'The models, with the prices of their routes.'),
    handle: (models, { params, body, actor }) => models.importModels(params.id, body, actor),
  }),
]
