declare module '*.module.css' {
  const classes: Readonly<Record<string, string>>
  export default classes
}
declare module '*.css'

/** Made by vite.config.ts from the contract. */
declare module 'virtual:console-paths' {
  export const paths: Readonly<Record<string, readonly [method: string, path: string]>>
}
