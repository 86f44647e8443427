import type { Operations } from '../../../manage/ports/operations.ts'
import { Model, ModelListQuery, ModelPut, Route, RoutePut, RouteState } from '../../../vocabulary/supply.ts'
import { DELETED, definer, listOf, one } from '../endpoint.ts'

const define = definer<Operations>()
const common = { tag: 'Models and routes', access: 'operator' } as const

export const catalogEndpoints = [
  define({
    ...common,
    method: 'GET',
    path: '/models',
    id: 'listCatalogModels',
    summary: 'List the models of the catalog',
    query: ModelListQuery.fields,
    answer: listOf(Model),
    handle: (operations, { page, query }) => operations.listModels(page, query),
  }),
  define({
    ...common,
    method: 'GET',
    path: '/routes',
    id: 'listRoutes',
    summary: 'List routes with their credentials',
    description:
      'Each credential shows its health on this route and the remainder of its own limits in the current minute.',
    answer: listOf(RouteState),
    handle: (operations, { page }) => operations.listRoutes(page),
  }),
]

/** A model id may contain slashes, so these endpoints share one path. */
export const modelEndpoints = [
  define({
    ...common,
    method: 'GET',
    path: '/models/:model',
    id: 'showCatalogModel',
    summary: 'Show a model',
    answer: one(Model),
    handle: (operations, { params }) => operations.findModel(params.model),
  }),
  define({
    ...common,
    method: 'PUT',
    path: '/models/:model',
    id: 'putModel',
    summary: 'Create or replace a model',
    body: ModelPut,
    answer: one(Model),
    handle: (operations, { params, body, actor }) =>
      operations.putModel({ id: params.model, ...body }, actor),
  }),
  define({
    ...common,
    method: 'DELETE',
    path: '/models/:model',
    id: 'deleteModel',
    summary: 'Delete a model',
    description: "Refused while it has routes or a key's allowlist names it.",
    answer: DELETED,
    handle: async (operations, { params, actor }) => {
      await operations.deleteModel(params.model, actor)
      return params.model
    },
  }),
  define({
    ...common,
    method: 'PUT',
    path: '/models/:model/routes/:supplier',
    id: 'putRoute',
    summary: 'Create or replace a route of a model',
    body: RoutePut,
    answer: one(Route),
    handle: (operations, { params, body, actor }) =>
      operations.putRoute({ modelId: params.model, supplierId: params.supplier }, body, actor),
  }),
  define({
    ...common,
    method: 'DELETE',
    path: '/models/:model/routes/:supplier',
    id: 'deleteRoute',
    summary: 'Delete a route of a model',
    description: 'Requests in progress continue; new ones use another route.',
    answer: DELETED,
    handle: async (operations, { params, actor }) => {
      await operations.deleteRoute({ modelId: params.model, supplierId: params.supplier }, actor)
      return `${params.model}/routes/${params.supplier}`
    },
  }),
]
