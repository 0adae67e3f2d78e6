import { existsSync } from 'node:fs'

/** In a container this is the container's own address, not the machine's, whose ports may lead here. */
export function isLoopback(url: string): boolean {
  return /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(URL.parse(url)?.hostname ?? '')
}

/** Docker, Podman and Kubernetes leave these. */
const marksOfContainers = ['/.dockerenv', '/run/.containerenv', '/var/run/secrets/kubernetes.io']

export function isInContainer(marks: readonly string[] = marksOfContainers): boolean {
  return marks.some((mark) => existsSync(mark))
}
