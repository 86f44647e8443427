import {
  Alert,
  Button,
  Center,
  Drawer,
  Group,
  Image,
  Loader,
  PasswordInput,
  Stack,
  Text,
  TextInput,
} from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconAlertCircle } from '@tabler/icons-react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { SESSION_KEY } from '../../api/client.ts'
import { identity, useUser } from '../../api/session.ts'
import { type Closable, FormDrawer } from '../../parts/forms/form-drawer.tsx'
import { useAction } from '../../parts/forms/use-action.ts'
import { ErrorNotice } from '../../parts/layout/error-notice.tsx'
import { Panel } from '../../parts/layout/panel.tsx'
import { StatusBadge } from '../../parts/layout/status-badge.tsx'
import { CodeBlock } from '../../parts/text/code-block.tsx'
import { CopyButton } from '../../parts/text/copy-button.tsx'

export function SecondFactorSettings() {
  const { totp_enabled: isOn } = useUser()
  const [isSettingUp, setup] = useDisclosure(false)
  const [isEnding, ending] = useDisclosure(false)
  return (
    <Panel
      title="Second factor"
      description="Asks for a code from an authenticator app after your password, so that a stolen password alone is not enough."
      actions={<StatusBadge state={isOn ? 'on' : 'off'} tone={isOn ? 'good' : 'neutral'} />}
    >
      <Group>
        {isOn ? (
          <Button variant="default" onClick={ending.open}>
            Switch off
          </Button>
        ) : (
          <Button onClick={setup.open}>Set up</Button>
        )}
      </Group>
      <SecondFactorSetup isOpen={isSettingUp} onClose={setup.close} />
      {isEnding && <SwitchOff onClose={ending.close} />}
    </Panel>
  )
}

function SwitchOff({ onClose }: { readonly onClose: () => void }) {
  const { has_password: hasPassword } = useUser()
  return (
    <FormDrawer
      title="Switch off the second factor"
      submitLabel="Switch off"
      onClose={onClose}
      initialValues={{ proof: '' }}
      send={({ proof }) =>
        identity.disableTotp(hasPassword ? { password: proof } : { code: proof.replaceAll(' ', '') })
      }
      done="The second factor is off."
      refreshes={[SESSION_KEY]}
    >
      {(field) => (
        <>
          <Text size="sm">You will sign in with your password alone. Your recovery codes stop working.</Text>
          {hasPassword ? (
            <PasswordInput
              label="Your password"
              autoComplete="current-password"
              data-autofocus
              {...field('proof')}
            />
          ) : (
            <TextInput
              label="Code from the authenticator app"
              autoComplete="one-time-code"
              inputMode="numeric"
              data-autofocus
              {...field('proof')}
            />
          )}
        </>
      )}
    </FormDrawer>
  )
}

/** Scan the secret, confirm it with a code, then see the recovery codes once. */
function SecondFactorSetup({ isOpen, onClose }: Closable & { readonly isOpen: boolean }) {
  const queryClient = useQueryClient()
  const [codes, setCodes] = useState<readonly string[] | null>(null)
  const close = () => {
    setCodes(null)
    onClose()
    // Only now, because this changes the page behind the dialog.
    void queryClient.invalidateQueries({ queryKey: SESSION_KEY })
  }
  return (
    <Drawer
      opened={isOpen}
      onClose={close}
      title={codes === null ? 'Set up the second factor' : 'Save your recovery codes'}
      closeOnClickOutside={codes === null}
    >
      {codes === null ? <Proof onProven={setCodes} /> : <RecoveryCodes codes={codes} onClose={close} />}
    </Drawer>
  )
}

function Proof({ onProven }: { readonly onProven: (codes: readonly string[]) => void }) {
  const begun = useQuery({
    queryKey: ['totp-begin'],
    queryFn: identity.beginTotp,
    // Each start creates a new secret; the one on screen must stay valid.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    refetchOnWindowFocus: false,
    retry: false,
  })
  if (begun.error !== null) return <ErrorNotice error={begun.error} onRetry={() => void begun.refetch()} />
  if (begun.data === undefined) {
    return (
      <Center mih={200}>
        <Loader />
      </Center>
    )
  }
  const { secret, qr_svg: qrCode } = begun.data
  return (
    <Stack>
      <Text size="sm">
        1. Scan this with an authenticator app that shows six-digit codes, such as your password manager.
      </Text>
      <Center>
        {/* As an image, not as markup: its content cannot become part of the page. */}
        <Image
          src={`data:image/svg+xml,${encodeURIComponent(qrCode)}`}
          alt="The secret as a QR code"
          w={200}
          h={200}
          className="qr-code"
        />
      </Center>
      <CodeBlock code={secret} title="Or type this secret into the app" isWrapped />
      <CodeForm onProven={onProven} />
    </Stack>
  )
}

function CodeForm({ onProven }: { readonly onProven: (codes: readonly string[]) => void }) {
  const [code, setCode] = useState('')
  const confirm = useAction(identity.confirmTotp, { onDone: (answer) => onProven(answer.recovery_codes) })
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        confirm.run(code.replaceAll(' ', ''))
      }}
    >
      <Stack>
        <TextInput
          label="2. Enter the code it shows"
          autoComplete="one-time-code"
          inputMode="numeric"
          value={code}
          onChange={(event) => setCode(event.currentTarget.value)}
          classNames={{ input: 'code-input' }}
        />
        <ErrorNotice error={confirm.error} />
        <Group justify="flex-end">
          <Button type="submit" loading={confirm.isRunning} disabled={code.trim() === ''}>
            Switch on
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

function RecoveryCodes({ codes, onClose }: Closable & { readonly codes: readonly string[] }) {
  const text = codes.join('\n')
  return (
    <Stack>
      <Alert color="yellow" icon={<IconAlertCircle size={18} aria-hidden />} title="Shown only once">
        If you cannot use the app, sign in with one of these codes. Each works once. Keep them where you keep
        your passwords.
      </Alert>
      <CodeBlock code={text} title="Recovery codes" />
      <Group justify="flex-end">
        <CopyButton value={text} what="the recovery codes" label="Copy all" />
        <Button onClick={onClose}>I saved them</Button>
      </Group>
    </Stack>
  )
}
