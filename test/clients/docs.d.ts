/** Declarations that the snippets of the documentation use from the app around them. */
declare const session: import('@matchday/client').Sessions
declare const api: import('@matchday/client').Api
declare const follow: import('@matchday/client').Client['follow']
declare const inbox: import('@matchday/client').Inbox
declare const devices: import('@matchday/client').Devices
declare const notifications: import('@matchday/client').Notifications
declare const users: import('oidc-client-ts').UserManager
declare const accessToken: string
declare function show(what: string | number): void
declare function showSignIn(): void
declare function reload(): void
