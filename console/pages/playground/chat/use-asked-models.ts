import { useModels } from '../../../api/models.ts'
import { useUrlState } from '../../../app/url-state.ts'
import { pickModel } from '../../../parts/text/pick-model.ts'
import { CHAT_FORMATS, type ChatFormat } from '../../../parts/wire/question.ts'

export interface Asked {
  readonly models: readonly string[]
  readonly format: ChatFormat
}

/** The models to ask and the format to ask in, which the address keeps. */
export function useAskedModels(account: string) {
  const query = useModels(account)
  const [state, setState] = useUrlState({ model: '', beside: '', format: 'chat-completion' })
  const talkers = query.data?.data.filter(({ kinds }) => kinds.includes('text')) ?? []
  const isKnown = (model: string) => talkers.some(({ id }) => id === model)
  const first = isKnown(state.model) ? state.model : pickModel(talkers, null).model
  const models = [...new Set([first, ...state.beside.split(',')])].filter(isKnown)
  return {
    query,
    talkers,
    models,
    format: CHAT_FORMATS.find((known) => known === state.format) ?? 'chat-completion',
    setAsked: ({ models: chosen, format }: Partial<Asked>) =>
      setState({
        ...(chosen !== undefined && { model: chosen[0] ?? '', beside: chosen.slice(1).join(',') }),
        ...(format !== undefined && { format }),
      }),
  }
}
