export {
  SkeinApiError,
  SkeinClientError,
  SkeinConnectionError,
  SkeinTimeoutError,
  type ErrorDetail,
} from './errors.ts'
export {
  createTransport,
  type CallableOperation,
  type CallOptions,
  type Retry,
  type Transport,
  type TransportOptions,
} from './transport.ts'
