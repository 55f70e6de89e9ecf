/**
 * `@matchday/client` as apps have it: installed from its tarball, compiled by the TypeScript 5.9 that many apps have for web
 * pages, Node.js 20 and React Native, resolved by Metro.
 */
import { existsSync, lstatSync, realpathSync } from 'node:fs'
import { cp, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { $ } from 'bun'
import { type PackageJson, type ResolutionContext, resolve } from 'metro-resolver'

const here = import.meta.dir
const root = join(here, '..', '..')

/** Builds the package, and installs it in an app in `folder`, which compiles. */
export async function installClient(folder: string): Promise<void> {
  await $`bun run --silent build client --out ${folder}`.cwd(root)
  const app = join(folder, 'app-of-client')
  await mkdir(app, { recursive: true })
  await Bun.write(join(app, 'package.json'), '{ "name": "app", "private": true, "type": "module" }')
  await $`bun add --no-save ${join(folder, 'client.tgz')}`.cwd(app).quiet()
  await cp(join(root, 'test/client/consumer'), app, { recursive: true })
  const strict = { target: 'ES2022', strict: true, exactOptionalPropertyTypes: true, noEmit: true, types: [] }
  const projects = {
    web: {
      compilerOptions: {
        ...strict,
        ...{
          module: 'ESNext',
          moduleResolution: 'bundler',
          verbatimModuleSyntax: true,
          isolatedModules: true,
        },
        ...{ noUncheckedIndexedAccess: true, noPropertyAccessFromIndexSignature: true, skipLibCheck: false },
      },
      files: ['fan-session.ts'],
    },
    node: {
      compilerOptions: {
        ...strict,
        ...{ module: 'NodeNext', moduleResolution: 'NodeNext', lib: ['ES2023'] },
        ...{ types: ['node'], typeRoots: [join(here, 'node_modules/@types')] },
      },
      files: ['fan-session.ts'],
    },
    'react-native': {
      compilerOptions: {
        ...strict,
        ...{ module: 'ESNext', moduleResolution: 'bundler', lib: ['ES2019'] },
        customConditions: ['react-native'],
      },
      files: ['fan-session.ts', 'react-native.d.ts'],
    },
  }
  for (const [name, project] of Object.entries(projects)) {
    const file = join(app, `tsconfig.${name}.json`)
    await Bun.write(file, JSON.stringify(project))
    await $`${join(here, 'node_modules/.bin/tsc')} --project ${file}`
  }
  for (const withExports of [true, false]) await resolveByMetro(app, withExports)
}

/** @throws Error unless Metro finds the module of the package */
async function resolveByMetro(app: string, withExports: boolean): Promise<void> {
  const read = async (path: string): Promise<PackageJson> => Bun.file(path).json()
  const installed = join(app, 'node_modules/@matchday/client')
  const manifest = await read(join(installed, 'package.json'))
  const entry = join(installed, 'index.js')
  const context: Omit<ResolutionContext, 'resolveRequest'> = {
    allowHaste: false,
    assetExts: new Set(),
    customResolverOptions: {},
    dev: true,
    disableHierarchicalLookup: false,
    doesFileExist: path => existsSync(path) && lstatSync(path).isFile(),
    extraNodeModules: null,
    fileSystemLookup: path => {
      if (!existsSync(path)) return { exists: false }
      const type = lstatSync(path).isDirectory() ? 'd' : 'f'
      return { exists: true, type, realPath: realpathSync(path) }
    },
    getPackage: path => (path === join(installed, 'package.json') ? manifest : null),
    getPackageForModule: path =>
      path.startsWith(installed)
        ? {
            packageJson: manifest,
            rootPath: installed,
            packageRelativePath: path.slice(installed.length + 1),
          }
        : null,
    isESMImport: true,
    mainFields: ['react-native', 'browser', 'main'],
    nodeModulesPaths: [],
    originModulePath: join(app, 'fan-session.ts'),
    preferNativePlatform: true,
    redirectModulePath: path => path,
    resolveAsset: () => undefined,
    resolveHasteModule: () => undefined,
    resolveHastePackage: () => undefined,
    sourceExts: ['js', 'ts', 'tsx', 'json'],
    unstable_conditionNames: ['require', 'react-native'],
    unstable_conditionsByPlatform: { web: ['browser'] },
    unstable_enablePackageExports: withExports,
    unstable_incrementalResolution: false,
    unstable_logWarning: message => {
      throw new Error(`Metro warns: ${message}`)
    },
  }
  const found = resolve({ ...context, resolveRequest: resolve }, '@matchday/client', 'ios')
  if (found.type !== 'sourceFile' || realpathSync(found.filePath) !== realpathSync(entry))
    throw new Error(`Metro finds ${JSON.stringify(found)} (exports: ${withExports})`)
}
