import { Button, SegmentedControl, Stack } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconBrush, IconCode, IconPlayerStop } from '@tabler/icons-react'
import { useState } from 'react'
import { useModels } from '../../api/models.ts'
import { useUrlState } from '../../app/url-state.ts'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { ModelField } from '../../parts/model-field.tsx'
import { Panel } from '../../parts/panel.tsx'
import { SidePanel } from './chat.tsx'
import { EditSource } from './edit-source.tsx'
import { ImageCodeDrawer } from './image-code.tsx'
import { type Easel, type PaintQuestion, usePainting } from './paint.ts'
import { Pictures } from './pictures.tsx'
import { NO_WISH, type Wish, WishForm } from './wish-form.tsx'

export function ImageStudio({ account }: { readonly account: string }) {
  const models = useModels(account)
  const [{ task, model: asked }, setState] = useUrlState({ task: 'generate', model: '' })
  const isEdit = task === 'edit'
  const kind = isEdit ? 'image-edit' : 'image'
  const painters = models.data?.data.filter(({ kinds }) => kinds.includes(kind)) ?? []
  const model = (painters.find(({ id }) => id === asked) ?? painters[0])?.id ?? ''
  const [wish, setWish] = useState(NO_WISH)
  const [source, setSource] = useState<Blob | null>(null)
  const [mask, setMask] = useState<Blob | null>(null)
  const [isCodeShown, code] = useDisclosure(false)
  const easel = usePainting(account)
  const change = (some: Partial<Wish>) => setWish({ ...wish, ...some })
  const isReady = model !== '' && wish.prompt.trim() !== '' && (!isEdit || source !== null)
  const question: PaintQuestion = {
    ...wish,
    model,
    edit: isEdit && source !== null ? { image: source, mask } : null,
  }
  const editPicture = (picture: Blob) => {
    setSource(picture)
    setMask(null)
    setState({ task: 'edit' })
  }
  return (
    <div className="playground">
      <Panel>
        <Stack>
          <ErrorNotice error={models.error} onRetry={() => void models.refetch()} />
          {isEdit && (
            <EditSource
              source={source}
              onSource={(file) => {
                setSource(file)
                setMask(null)
              }}
              onMask={setMask}
            />
          )}
          <Pictures account={account} painting={easel.painting} onEdit={editPicture} isEdit={isEdit} />
        </Stack>
      </Panel>
      <SidePanel>
        <SegmentedControl
          fullWidth
          aria-label="Task"
          value={isEdit ? 'edit' : 'generate'}
          onChange={(value) => setState({ task: value })}
          data={[
            { value: 'generate', label: 'Generate' },
            { value: 'edit', label: 'Edit' },
          ]}
        />
        <ModelField models={painters} model={model} onChange={(value) => setState({ model: value })} />
        <WishForm wish={wish} onChange={change} isEdit={isEdit}>
          <PaintButton
            easel={easel}
            isReady={isReady}
            isEdit={isEdit}
            onPaint={() => easel.paint(question)}
          />
        </WishForm>
        <Button variant="default" leftSection={<IconCode size={16} aria-hidden />} onClick={code.open}>
          Copy as code
        </Button>
      </SidePanel>
      <ImageCodeDrawer isOpen={isCodeShown} onClose={code.close} question={question} isEdit={isEdit} />
    </div>
  )
}

interface PaintButtonProps {
  readonly easel: Easel
  readonly isReady: boolean
  readonly isEdit: boolean
  readonly onPaint: () => void
}

function PaintButton({ easel, isReady, isEdit, onPaint }: PaintButtonProps) {
  if (easel.isPainting) {
    return (
      <Button variant="default" leftSection={<IconPlayerStop size={16} aria-hidden />} onClick={easel.stop}>
        Stop
      </Button>
    )
  }
  return (
    <Button disabled={!isReady} leftSection={<IconBrush size={16} aria-hidden />} onClick={onPaint}>
      {isEdit ? 'Edit the picture' : 'Generate'}
    </Button>
  )
}
