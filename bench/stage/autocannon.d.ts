declare module 'autocannon' {
  type Sent = { method?: string; body?: string; headers?: Record<string, string> }
  type Options = {
    url: string
    method: string
    connections: number
    duration?: number
    amount?: number
    timeout: number
    headers: Record<string, string>
    requests: { setupRequest: (request: Sent) => Sent }[]
  }
  type Result = {
    requests: { average: number; total: number }
    latency: { p50: number; p99: number }
    non2xx: number
    statusCodeStats: Record<string, { count: number }>
    errors: number
    timeouts: number
  }
  /** The part of the package that the bench uses; it ships no types. */
  export default function autocannon(options: Options): Promise<Result>
}
