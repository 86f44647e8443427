import { join } from 'node:path'
import { createWebhookSender, webhookRules } from '../edges/alert-webhook/send-webhook.ts'
import { createMailSender } from '../edges/mail/send-mail.ts'
import type { Settings } from '../edges/settings/settings.ts'
import { createSinkFileWriter } from '../edges/sink-files/write-sink-file.ts'
import { openAlerts } from '../manage/alerts/alerts.ts'
import { testChannel } from '../manage/alerts/tell-channels.ts'
import { mailLowBalance } from '../manage/alerts/tell-members.ts'
import { systemRandom } from '../manage/operations/random-source.ts'
import { SinkSender } from '../manage/sinks/sink-sender.ts'
import type { Router } from '../rules/routing/router.ts'
import type { Admissions } from '../serve/ports/admissions.ts'
import type { LiveConfiguration } from '../serve/ports/configuration.ts'
import type { AlertChannel } from '../vocabulary/observability/alert-channel.ts'
import type { Persistence } from './persistence.ts'
import type { SystemServices } from './system-services.ts'

interface AlertingParts {
  readonly configuration: LiveConfiguration
  readonly router: Router
  readonly admissions: Admissions
}

/** Alerts and sinks, and what sends them, as configured. */
export async function openAlerting(
  settings: Settings,
  system: SystemServices,
  { storage, journal, events, membership, configuration, router, admissions }: Persistence & AlertingParts,
) {
  const send = createWebhookSender(webhookRules({ allowsPrivate: settings.webhookAllowPrivate === 'on' }))
  // Channels and sinks are set by operators, who may send to addresses of their own network.
  const sendToOperators = createWebhookSender(webhookRules({ allowsPrivate: true }))
  const sendMail = settings.mailServer && createMailSender(settings.mailServer)
  const { registry } = membership
  const { currencyName } = settings
  const memberMail = {
    sendMail,
    storage,
    currencyName,
    log: system.log,
    snapshot: configuration.current,
    publicUrl: settings.publicUrl,
  }
  const alerts = await openAlerts({
    ...{ ...system, storage, send, sendToOperators, sendMail, currencyName },
    snapshot: configuration.current,
    money: admissions,
    platform: { standing: (ids) => router.standing(ids), journal, nodeName: registry.node.name },
    onRaised: (alert) => {
      events.noteAlert(alert)
      void mailLowBalance(memberMail, alert)
    },
    newId: systemRandom.id,
  })
  registry.onLost = (node) => alerts.noteLostNode(node)
  const writeFile = createSinkFileWriter({
    folder: join(settings.dataFolder, 'sinks'),
    access: settings.bucketAccess,
  })
  const sinks = new SinkSender({ ...system, storage, send: sendToOperators, writeFile })
  const sending = { ...system, sendToOperators, sendMail, currencyName }
  return { alerts, sinks, send, testChannel: (channel: AlertChannel) => testChannel(channel, sending) }
}
