import {
  Button,
  FileInput,
  NativeSelect,
  NumberInput,
  SegmentedControl,
  Stack,
  Text,
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
import { GeneratedImages } from './generated-images.tsx'
import { type ImageRequest, useImageGeneration } from './image-generation.ts'
import { MaskCanvas } from './mask-canvas.tsx'
import { Payer } from './payer.tsx'
import { SidePanel } from './side-panel.tsx'
import { CodesDrawer } from './tasks/call-drawers.tsx'
import type { Caller } from './tasks/use-call.ts'
import { writeImageCode } from './write-image-code.ts'

export function ImageStudio({ account }: { readonly account: string }) {
  const models = useModels(account)
  const [{ task, model: asked }, setState] = useUrlState({ task: 'generate', model: '' })
  const isEdit = task === 'edit'
  const kind = isEdit ? 'image-edit' : 'image'
  const imageModels = models.data?.data.filter(({ kinds }) => kinds.includes(kind)) ?? []
  const chosen = imageModels.find(({ id }) => id === asked) ?? imageModels[0]
  const model = chosen?.id ?? ''
  const [settings, setSettings] = useState(DEFAULT_SETTINGS)
  const [source, setSource] = useState<Blob | null>(null)
  const [mask, setMask] = useState<Blob | null>(null)
  const [isCodeShown, code] = useDisclosure(false)
  const generator = useImageGeneration(account)
  const change = (some: Partial<ImageSettings>) => setSettings({ ...settings, ...some })
  const isReady = model !== '' && settings.prompt.trim() !== '' && (!isEdit || source !== null)
  const question: ImageRequest = {
    ...settings,
    model,
    edit: isEdit && source !== null ? { image: source, mask } : null,
  }
  const editImage = (image: Blob) => {
    setSource(image)
    setMask(null)
    setState({ task: 'edit' })
  }
  return (
    <div className="playground" {...(isEdit && { 'data-edit': true })}>
      {isEdit && (
        <div className="playground-source">
          <Panel>
            <EditSource
              source={source}
              onSource={(file) => {
                setSource(file)
                setMask(null)
              }}
              onMask={setMask}
            />
          </Panel>
        </div>
      )}
      <Panel>
        <Stack>
          <ErrorNotice error={models.error} onRetry={() => void models.refetch()} />
          <GeneratedImages
            account={account}
            generation={generator.called}
            onEdit={editImage}
            isEdit={isEdit}
          />
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
        <ModelField models={imageModels} model={model} onChange={(value) => setState({ model: value })} />
        <ImageSettingsForm settings={settings} onChange={change} isEdit={isEdit}>
          <GenerateButton
            generator={generator}
            isReady={isReady}
            isEdit={isEdit}
            onGenerate={() => generator.run(question)}
          />
          <Payer asked={chosen === undefined ? [] : [chosen]} />
        </ImageSettingsForm>
        <Button variant="default" leftSection={<IconCode size={16} aria-hidden />} onClick={code.open}>
          Copy as code
        </Button>
      </SidePanel>
      <CodesDrawer
        isOpen={isCodeShown}
        onClose={code.close}
        codes={writeImageCode(question, { isEdit, baseUrl: window.location.origin })}
      />
    </div>
  )
}

interface GenerateButtonProps {
  readonly generator: Caller<ImageRequest>
  readonly isReady: boolean
  readonly isEdit: boolean
  readonly onGenerate: () => void
}

function GenerateButton({ generator, isReady, isEdit, onGenerate }: GenerateButtonProps) {
  if (generator.isRunning) {
    return (
      <Button
        variant="default"
        leftSection={<IconPlayerStop size={16} aria-hidden />}
        onClick={generator.stop}
      >
        Stop
      </Button>
    )
  }
  return (
    <>
      <Button disabled={!isReady} leftSection={<IconBrush size={16} aria-hidden />} onClick={onGenerate}>
        {isEdit ? 'Edit image' : 'Generate'}
      </Button>
      {!isReady && (
        <Text size="xs" c="dimmed">
          {isEdit ? 'Choose an image and describe the change.' : 'Describe the image.'}
        </Text>
      )}
    </>
  )
}

const SIZES = [
  { value: '', label: 'Model default' },
  { value: '1024x1024', label: '1024 × 1024' },
  { value: '1536x1024', label: '1536 × 1024' },
  { value: '1024x1536', label: '1024 × 1536' },
  { value: '512x512', label: '512 × 512' },
]
const QUALITIES = [
  { value: '', label: 'Model default' },
  { value: 'low', label: 'Low' },
  { value: 'medium', label: 'Medium' },
  { value: 'high', label: 'High' },
]
const MAX_IMAGES = 4

/** The request without its model and source image. */
type ImageSettings = Pick<ImageRequest, 'prompt' | 'n' | 'size' | 'quality'>
const DEFAULT_SETTINGS: ImageSettings = { prompt: '', n: 1, size: '', quality: '' }

interface ImageSettingsFormProps {
  readonly settings: ImageSettings
  readonly onChange: (change: Partial<ImageSettings>) => void
  readonly isEdit: boolean
  /** The button below the fields. */
  readonly children: ReactNode
}

function ImageSettingsForm({ settings, onChange, isEdit, children }: ImageSettingsFormProps) {
  return (
    <Stack gap="sm">
      <Textarea
        label="Prompt"
        placeholder={isEdit ? 'Make the sky orange' : 'A lighthouse at dawn'}
        autosize
        minRows={3}
        maxRows={8}
        value={settings.prompt}
        onChange={(event) => onChange({ prompt: event.currentTarget.value })}
      />
      <NumberInput
        label="Number of images"
        min={1}
        max={MAX_IMAGES}
        allowDecimal={false}
        value={settings.n}
        onChange={(value) => onChange({ n: typeof value === 'number' ? value : 1 })}
      />
      <NativeSelect
        label="Size"
        data={SIZES}
        value={settings.size}
        onChange={(event) => onChange({ size: event.currentTarget.value })}
      />
      <NativeSelect
        label="Quality"
        data={QUALITIES}
        value={settings.quality}
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

/** Selects the image to edit and its mask. */
function EditSource({ source, onSource, onMask }: EditSourceProps) {
  const { image, error } = useBitmap(source)
  return (
    <Stack gap="sm">
      <FileInput
        label="Image to edit"
        description="PNG, JPEG or WebP from this device. Or press Edit below a generated image."
        placeholder={source !== null && !(source instanceof File) ? 'The generated image' : 'Choose an image'}
        leftSection={<IconPhotoUp size={16} aria-hidden />}
        accept="image/png,image/jpeg,image/webp"
        clearable
        clearButtonProps={{ 'aria-label': 'Remove image' }}
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
          error: new Error('This file is not a readable image. Choose another one.'),
        }),
    )
    return () => {
      isCurrent = false
    }
  }, [source])
  return bitmap
}
