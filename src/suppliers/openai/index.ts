import { openaiModels } from '../model-lists.ts'
import { OPENAI_STYLE_FORMATS, openaiStyleTarget } from '../styles.ts'
import type { CallQuery, CallTarget, SupplierType } from '../supplier-type.ts'

export const openai: SupplierType = {
  name: 'openai',
  label: 'OpenAI',
  exampleUrl: 'https://api.openai.com/v1',
  aborts: 'prompt',
  formats: OPENAI_STYLE_FORMATS.filter((format) => format !== 'rerank'),
  options: ['organization', 'project'],
  modelList: () => openaiModels,
  target: openaiTarget,
}

/** The operator chooses the charged organisation; these headers of the client are not forwarded. */
function openaiTarget(query: CallQuery): CallTarget {
  const target = openaiStyleTarget(query)
  const { organization, project } = query.options
  if (organization === undefined && project === undefined) return target
  return {
    ...target,
    headers: {
      ...target.headers,
      ...(organization !== undefined && { 'openai-organization': organization }),
      ...(project !== undefined && { 'openai-project': project }),
    },
  }
}
