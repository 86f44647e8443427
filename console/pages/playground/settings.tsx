import { NativeSelect, NumberInput, Stack, Switch, Textarea } from '@mantine/core'
import { CHAT_FORMATS, type ChatFormat, type Effort, FORMAT_LABELS } from '../../parts/wire/write-request.ts'

export interface Settings {
  readonly system: string
  readonly temperature: number | null
  readonly maxTokens: number | null
  readonly effort: Effort
  readonly isStreamed: boolean
}

export const USUAL_SETTINGS: Settings = {
  system: '',
  temperature: null,
  maxTokens: null,
  effort: '',
  isStreamed: true,
}

export interface SettingsFormProps {
  readonly format: ChatFormat
  readonly onFormat: (format: ChatFormat) => void
  readonly settings: Settings
  readonly onChange: (change: Partial<Settings>) => void
}

/** How to ask. Empty fields leave the choice to the model. */
export function SettingsForm({ format, onFormat, settings, onChange }: SettingsFormProps) {
  const isTemperatureLeftOut = format === 'messages' && settings.effort !== ''
  return (
    <Stack gap="sm">
      <NativeSelect
        label="Format"
        description="What is spoken with the gateway. Any model takes any format."
        value={format}
        onChange={(event) => onFormat(event.currentTarget.value as ChatFormat)}
        data={CHAT_FORMATS.map((value) => ({ value, label: FORMAT_LABELS[value] }))}
      />
      <Textarea
        label="System prompt"
        placeholder="You are a helpful assistant."
        autosize
        minRows={2}
        maxRows={8}
        value={settings.system}
        onChange={(event) => onChange({ system: event.currentTarget.value })}
      />
      <NumberInput
        label="Temperature"
        placeholder="The model’s own"
        min={0}
        max={2}
        step={0.1}
        decimalScale={2}
        {...(isTemperatureLeftOut && { description: 'Not sent while the model thinks in this format.' })}
        value={settings.temperature ?? ''}
        onChange={(value) => onChange({ temperature: numberOf(value) })}
      />
      <NumberInput
        label="Most tokens to answer with"
        placeholder={format === 'messages' ? '4096' : 'The model’s own'}
        min={1}
        step={256}
        allowDecimal={false}
        value={settings.maxTokens ?? ''}
        onChange={(value) => onChange({ maxTokens: numberOf(value) })}
      />
      <NativeSelect
        label="Thinking"
        value={settings.effort}
        onChange={(event) => onChange({ effort: event.currentTarget.value as Effort })}
        data={[
          { value: '', label: 'The model’s own' },
          { value: 'low', label: 'A little' },
          { value: 'medium', label: 'Some' },
          { value: 'high', label: 'A lot' },
        ]}
      />
      <Switch
        label="Stream the answer"
        checked={settings.isStreamed}
        onChange={(event) => onChange({ isStreamed: event.currentTarget.checked })}
      />
    </Stack>
  )
}

function numberOf(value: string | number): number | null {
  return typeof value === 'number' && Number.isFinite(value) ? value : null
}
