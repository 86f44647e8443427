import {
  Button,
  FileInput,
  NativeSelect,
  NumberInput,
  SegmentedControl,
  Stack,
  Textarea,
} from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconBrush, IconCode, IconPhotoUp, IconPlayerStop } from '@tabler/icons-react'
import { type ReactNode, useEffect, useState } from 'react'
import { useModels } from '../../api/models.ts'
import { useUrlState } from '../../app/url-state.ts'
import { ModelField } from '../../parts/forms/model-field.tsx'
import { ErrorNotice } from '../../parts/layout/error-notice.tsx'
import { Panel } from '../../parts/layout/panel.tsx'
import { SidePanel } from './chat.tsx'
import { ImageCodeDrawer } from './image-code.tsx'
import { MaskCanvas } from './mask-canvas.tsx'
import { type Easel, type PaintQuestion, usePainting } from './paint.ts'
import { Pictures } from './pictures.tsx'

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

const SIZES = [
  { value: '', label: 'The model’s own' },
  { value: '1024x1024', label: '1024 × 1024' },
  { value: '1536x1024', label: '1536 × 1024' },
  { value: '1024x1536', label: '1024 × 1536' },
  { value: '512x512', label: '512 × 512' },
]
const QUALITIES = [
  { value: '', label: 'The model’s own' },
  { value: 'low', label: 'Low' },
  { value: 'medium', label: 'Medium' },
  { value: 'high', label: 'High' },
]
const MOST_PICTURES = 4

/** What is to be painted, without the pictures it begins from. */
type Wish = Pick<PaintQuestion, 'prompt' | 'n' | 'size' | 'quality'>
const NO_WISH: Wish = { prompt: '', n: 1, size: '', quality: '' }

interface WishFormProps {
  readonly wish: Wish
  readonly onChange: (change: Partial<Wish>) => void
  readonly isEdit: boolean
  /** The button below. */
  readonly children: ReactNode
}

function WishForm({ wish, onChange, isEdit, children }: WishFormProps) {
  return (
    <Stack gap="sm">
      <Textarea
        label="Prompt"
        placeholder={isEdit ? 'Make the sky orange' : 'A lighthouse at dawn'}
        autosize
        minRows={3}
        maxRows={8}
        value={wish.prompt}
        onChange={(event) => onChange({ prompt: event.currentTarget.value })}
      />
      <NumberInput
        label="How many"
        min={1}
        max={MOST_PICTURES}
        allowDecimal={false}
        value={wish.n}
        onChange={(value) => onChange({ n: typeof value === 'number' ? value : 1 })}
      />
      <NativeSelect
        label="Size"
        data={SIZES}
        value={wish.size}
        onChange={(event) => onChange({ size: event.currentTarget.value })}
      />
      <NativeSelect
        label="Quality"
        data={QUALITIES}
        value={wish.quality}
        onChange={(event) => onChange({ quality: event.currentTarget.value })}
      />
      {children}
    </Stack>
  )
}

interface EditSourceProps {
  readonly source: Blob | null
  readonly onSource: (source: Blob | null) => void
  readonly onMask: (mask: Blob | null) => void
}

/** The picture to be changed, and where. */
function EditSource({ source, onSource, onMask }: EditSourceProps) {
  const { image, error } = useBitmap(source)
  return (
    <Stack gap="sm">
      <FileInput
        label="Picture to edit"
        description="PNG, JPEG or WebP from this device, or press Edit under one that was generated."
        placeholder={
          source !== null && !(source instanceof File) ? 'The generated picture' : 'Choose a picture'
        }
        leftSection={<IconPhotoUp size={16} aria-hidden />}
        accept="image/png,image/jpeg,image/webp"
        clearable
        clearButtonProps={{ 'aria-label': 'Take the picture away' }}
        value={source instanceof File ? source : null}
        onChange={onSource}
      />
      <ErrorNotice error={error} />
      {image !== null && <MaskCanvas image={image} onMask={onMask} />}
    </Stack>
  )
}

interface Bitmap {
  readonly image: ImageBitmap | null
  readonly error: Error | null
}

const NO_BITMAP: Bitmap = { image: null, error: null }

function useBitmap(source: Blob | null): Bitmap {
  const [bitmap, setBitmap] = useState(NO_BITMAP)
  useEffect(() => {
    setBitmap(NO_BITMAP)
    if (source === null) return
    let isCurrent = true
    createImageBitmap(source).then(
      (image) => isCurrent && setBitmap({ image, error: null }),
      () =>
        isCurrent &&
        setBitmap({
          image: null,
          error: new Error('This file is no picture that can be read. Choose another.'),
        }),
    )
    return () => {
      isCurrent = false
    }
  }, [source])
  return bitmap
}
