import {
  type Icon,
  IconMessages,
  IconMicrophone,
  IconPhoto,
  IconShieldCheck,
  IconSortDescending2,
  IconVector,
  IconVolume,
} from '@tabler/icons-react'
import type { ReactNode } from 'react'
import type { ModelKind } from '../../../src/vocabulary/supply.ts'
import { useModels } from '../../api/models.ts'
import { useAccount } from '../../app/account.ts'
import { useUrlState } from '../../app/url-state.ts'
import { PageHeader } from '../../parts/layout/page-header.tsx'
import { PageTabs } from '../../parts/layout/page-tabs.tsx'
import { describeKind } from '../../parts/models/supply-words.ts'
import { Chat } from './chat/index.tsx'
import { ImageStudio } from './image-studio.tsx'
import { Embeddings } from './tasks/embeddings.tsx'
import { Moderation } from './tasks/moderation.tsx'
import { Rerank } from './tasks/rerank.tsx'
import { Speech } from './tasks/speech.tsx'
import { Transcription } from './tasks/transcription.tsx'

interface Mode {
  readonly value: string
  readonly label: string
  readonly icon: Icon
  /** The kinds of models that it is for. */
  readonly kinds: readonly ModelKind[]
  readonly Content: (props: { readonly account: string }) => ReactNode
}

/** Every mode except chat and images is named after its kind. */
const MODES: readonly Mode[] = [
  { value: 'chat', label: 'Chat', icon: IconMessages, kinds: ['text'], Content: Chat },
  { value: 'images', label: 'Images', icon: IconPhoto, kinds: ['image', 'image-edit'], Content: ImageStudio },
  task('embedding', IconVector, Embeddings),
  task('rerank', IconSortDescending2, Rerank),
  task('moderation', IconShieldCheck, Moderation),
  task('speech', IconVolume, Speech),
  task('transcription', IconMicrophone, Transcription),
]

function task(kind: ModelKind, icon: Icon, Content: Mode['Content']): Mode {
  return { value: kind, label: describeKind(kind), icon, kinds: [kind], Content }
}

export function Page() {
  const account = useAccount()
  const models = useModels(account.id)
  const [{ mode: chosen }, setState] = useUrlState({ mode: 'chat' })
  const kinds = new Set(models.data?.data.flatMap((model) => (model.routeable ? model.kinds : [])))
  // The chosen one stays while models load, and when its last model becomes unavailable.
  const offered = MODES.filter((mode) => mode.value === chosen || mode.kinds.some((kind) => kinds.has(kind)))
  return (
    <>
      <PageHeader
        title="Playground"
        description="Try any model as your programs would. Requests are real and charged as usual."
      />
      <PageTabs
        value={chosen}
        onChange={(value) => setState({ mode: value })}
        isKept
        tabs={offered.map(({ value, label, icon, Content }) => ({
          value,
          label,
          icon,
          content: <Content key={account.id} account={account.id} />,
        }))}
      />
    </>
  )
}
