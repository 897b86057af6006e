import {
  CodeHostLoops,
  InvitationMails,
  LeaverLoop,
  Scheduler,
  TenantRemover,
  TriggerLoops,
  WebhookLoops,
  type EngineResources,
} from '@skein/engine'
import type { FastifyBaseLogger } from 'fastify'
import type { Config } from '../config.ts'
import { readVersion } from '../version.ts'
import { OutboundAddresses, parseAllowedReceivers } from './outbound-addresses.ts'
import { OutboundFetch } from './outbound-fetch.ts'
import { OutboundPosts } from './outbound-post.ts'
import { openMailer } from './smtp-mailer.ts'

/** Starts what acts without being asked: webhooks, invitations by e-mail, schedules, triggers, calls to code hosts, the end of what belonged to people who left, and the deletion of tenants. Returns a function that stops it and waits for what was begun. */
export function startAutomations(
  engine: EngineResources,
  config: Config,
  log: FastifyBaseLogger,
): () => Promise<void> {
  const addresses = new OutboundAddresses(parseAllowedReceivers(config.SKEIN_OUTBOUND_ALLOW))
  const posts = new OutboundPosts(addresses, {
    userAgent: `skein/${readVersion()}`,
    proxy: config.SKEIN_OUTBOUND_PROXY,
  })
  const mailer = openMailer(config)
  const webhooks = new WebhookLoops(engine, { post: posts.post, mailer }, (error) =>
    log.warn({ err: error }, 'sending webhooks failed'),
  )
  const invitations = new InvitationMails(engine, mailer, (error) =>
    log.warn({ err: error }, 'sending invitations failed'),
  )
  const scheduler = new Scheduler(engine, (error) => log.warn({ err: error }, 'firing schedules failed'))
  const triggers = new TriggerLoops(engine, (error) => log.warn({ err: error }, 'applying triggers failed'))
  const outbound = new OutboundFetch(addresses, { proxy: config.SKEIN_OUTBOUND_PROXY })
  const codeHosts = new CodeHostLoops(engine, outbound.fetch, (error) =>
    log.warn({ err: error }, 'calling code hosts failed'),
  )
  const leavers = new LeaverLoop(engine, (error) =>
    log.warn({ err: error }, 'ending the access of a leaver failed'),
  )
  const remover = new TenantRemover(engine, (error) => log.warn({ err: error }, 'deleting a tenant failed'))
  webhooks.start()
  invitations.start()
  remover.start()
  leavers.start()
  codeHosts.start()
  triggers.start()
  scheduler.start()
  return async () => {
    await Promise.all([
      webhooks.stop(),
      invitations.stop(),
      scheduler.stop(),
      triggers.stop(),
      codeHosts.stop(),
      leavers.stop(),
      remover.stop(),
    ])
    posts.close()
    outbound.close()
  }
}
