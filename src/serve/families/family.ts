import type { EnvelopeDress } from '../../errors/render-error.ts'
import type { Candidate } from '../../rules/routing/candidate.ts'
import type { Contract } from '../../vocabulary/runtime/contract.ts'
import type { MaybePromise } from '../../vocabulary/runtime/maybe-promise.ts'
import type { Admission } from '../admission/admission.ts'
import type { Caller, IncomingRequest, PreparedRequest } from '../admission/prepared-request.ts'
import type { CallPlan } from '../delivery/call-plan.ts'
import type { Gateway } from '../gateway.ts'
import type { Exchange, Reply } from '../ports/exchange.ts'

/**
 * A kind of request that a model answers, such as text in one wire format or an image edit. `serve-request.ts` serves
 * all of them the same way; a family has the steps that differ.
 *
 * `Body` is the body as it arrives, `Read` is what it says, and `Prepared` is the request as it is admitted.
 */
export interface Family<Body = unknown, Read = unknown, Prepared extends PreparedRequest = PreparedRequest> {
  /** Receives the body: as text, or as a form with uploads. */
  receive(exchange: Exchange): MaybePromise<Body>
  /** Parses and checks the body. Throws a GatewayError that names the invalid field. */
  read(body: Body, caller: Caller, incoming: IncomingRequest): MaybePromise<Read>
  /** The model that a request names, for what is said about a refused one. */
  modelOf(read: Read): string
  /**
   * Finds the model and the routes that can serve the request, and says what it may take from limits and balance. Runs
   * again with a newer caller when the configuration has changed in the meantime.
   */
  prepare(read: Read, caller: Caller, exchange: Exchange): Prepared
  /** Plans the call to one candidate. Throws a GatewayError when the candidate's format cannot express the request. */
  plan(admission: Admission<Prepared>, candidate: Candidate, gateway: Gateway): MaybePromise<CallPlan>
  /** Deletes what the body left behind, such as uploaded files. Called once, however the request ends. */
  dispose?(body: Body): Promise<void>
}

/** A path of a family. All of them are called with POST. */
export interface FamilyEndpoint {
  readonly path: string
  readonly contract: Contract
  readonly family: Family
  /** Adds what clients of the format expect around an error. */
  readonly dressError?: EnvelopeDress | undefined
  /** Takes the place of the usual story, for paths that also serve something else. */
  handle?(exchange: Exchange, gateway: Gateway): Promise<Reply>
}
