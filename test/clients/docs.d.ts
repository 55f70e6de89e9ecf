/** What the snippets of the documentation take from the app around them. */
declare const session: { token: string; freshToken(): Promise<string> }
declare function show(missingPoints: number): void
