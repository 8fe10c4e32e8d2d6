/** A row of {@link RISK_MARKS}: names on which programs of the user act by themselves, at every depth and in any case. */
export interface RiskMark {
  /** Why a change of such a file is a risk, as the end of a sentence about the file. */
  readonly reason: string
  /** Names of files and links; a `*` at the start or the end stands for any text. */
  readonly files?: readonly string[]
  /** Names of directories; the mark holds for all that they contain. A `*` as in `files`. */
  readonly directories?: readonly string[]
  /** True for files that ordinary runs write all the time: they are held back and listed, and the output does not tell them. */
  readonly isRoutine?: true
}

/** The names that tools of developers execute, load or take settings from without being told to. */
export const RISK_MARKS: readonly RiskMark[] = [
  {
    reason: 'Git takes settings and hooks from it',
    directories: ['.git'],
    files: ['.git', '.gitconfig', '.gitmodules', '.gitattributes', 'git~*'],
  },
  { reason: 'Git takes a directory with it for a repository, whose settings name programs', files: ['HEAD'] },
  { reason: 'other systems of versions take settings and hooks from it', directories: ['.hg', '.svn', '.jj'] },
  {
    reason: 'it holds hooks that run with a commit',
    directories: ['.husky', '.githooks', '.lefthook', '.overcommit'],
    files: [
      ...['.pre-commit-config.*', '.pre-commit-hooks.*', 'lefthook.*', '.lefthook.*', 'lefthook-local.*'],
      ...['.lefthook-local.*', '.huskyrc*', '.lintstagedrc*', 'lint-staged.config.*', '.simple-git-hooks.*'],
      ...['simple-git-hooks.*', '.overcommit.yml', '.czrc', '.releaserc*', 'release.config.*'],
    ],
  },
  {
    reason: 'package managers run its scripts and load its code',
    directories: ['node_modules', 'bower_components', 'jspm_packages', 'site-packages', '.yarn', '.pnp'],
    files: [
      ...['package.json', 'package.json5', 'package.yaml', 'package-lock.json', 'npm-shrinkwrap.json', 'yarn.lock'],
      ...['pnpm-lock.yaml', 'bun.lock', 'bun.lockb', 'deno.lock', 'jsr.json', 'pnpm-workspace.yaml', '.pnpmfile.*'],
      ...['.npmrc', '.yarnrc*', 'bunfig.toml', '.bunfig.toml', 'deno.json*', '.pnp.*', 'lerna.json', 'nx.json'],
      ...['project.json', 'turbo.json*', 'rush.json', 'workspace.json', 'binding.gyp', 'import_map.json'],
      ...['composer.json', 'composer.lock', 'Gemfile*', '*.gemspec', 'gems.rb', 'mix.exs', 'rebar.config', 'Podfile*'],
      ...['Package.swift', 'pubspec.yaml', 'Cargo.toml', 'Cargo.lock', 'build.rs', 'go.mod', 'go.work', 'go.sum'],
      ...[
        '*.cabal',
        'stack.yaml',
        'dub.json',
        'dub.sdl',
        'shard.yml',
        'conanfile.*',
        'vcpkg.json',
        '*.nimble',
        '*.opam',
      ],
      ...['Project.toml', 'deps.edn', 'project.clj', '.bundle', 'global.json', 'NuGet.config', 'packages.config'],
    ],
  },
  { reason: 'package managers take settings from it', directories: ['.cargo', '.bundle', '.mvn', '.gradle', '.nuget'] },
  {
    reason: 'build tools run it',
    files: [
      ...['Makefile*', 'GNUmakefile', '*.mk', '*.mak', 'CMakeLists.txt', 'CMakePresets.json', 'CMakeUserPresets.json'],
      ...['*.cmake', 'configure', 'configure.ac', 'meson.build', 'meson_options.txt', 'SConstruct', 'SConscript'],
      ...['build.ninja', 'BUILD', 'BUILD.bazel', 'WORKSPACE', 'WORKSPACE.bazel', 'MODULE.bazel', '.bazelrc', '*.bzl'],
      ...['build.gradle*', 'settings.gradle*', 'gradle.properties', 'gradlew*', 'mvnw*', 'pom.xml', 'build.xml'],
      ...['build.sbt', 'build.sc', 'Justfile', '.justfile', 'Taskfile.*', 'Rakefile*', '*.rake', 'Jakefile*'],
      ...[
        'Gruntfile*',
        'gulpfile*',
        'Cakefile',
        'dodo.py',
        'fabfile.py',
        'tasks.py',
        'wscript',
        'Earthfile',
        'Tiltfile',
      ],
      ...['Vagrantfile', 'Brewfile', '*.csproj', '*.fsproj', '*.vbproj', '*.vcxproj', '*.sln', '*.props', '*.targets'],
      ...[
        'build.zig',
        'build.zig.zon',
        'flake.nix',
        'flake.lock',
        'default.nix',
        'shell.nix',
        'devenv.nix',
        '.please*',
      ],
      ...['magefile.go', 'Snakefile', 'Guardfile', 'Capfile', 'Fastfile', 'Dangerfile*'],
    ],
  },
  {
    reason: 'tools of JavaScript load it as code or take commands from it',
    files: [
      ...[
        '*.config.js',
        '*.config.cjs',
        '*.config.mjs',
        '*.config.ts',
        '*.config.cts',
        '*.config.mts',
        '*.config.json',
      ],
      ...['.eslintrc*', '.prettierrc*', '.babelrc*', '.swcrc', '.mocharc*', '.nycrc*', '.c8rc*', '.stylelintrc*'],
      ...[
        '.postcssrc*',
        '.commitlintrc*',
        '.ncurc*',
        '.taprc',
        '.parcelrc',
        '.browserslistrc',
        '.oxlintrc*',
        'biome.json*',
      ],
      ...[
        'tsconfig*',
        'jsconfig.json',
        'vitest.workspace.*',
        'jest.setup.*',
        'vitest.setup.*',
        'karma.conf.*',
        'nodemon.json',
      ],
      ...['angular.json', 'vercel.json', 'netlify.toml', 'wrangler.*', 'Procfile*', '.noderc', '.node_repl_history'],
    ],
    directories: ['.storybook', '.yalc', '.pnpm', '.moon', '.nx', '.turbo', '.netlify', '.vercel'],
  },
  {
    reason: 'Python loads it at its start, or tools of Python run it',
    files: [
      ...['sitecustomize.py', 'usercustomize.py', 'conftest.py', '*.pth', 'pyvenv.cfg', 'setup.py', 'setup.cfg'],
      ...[
        'pyproject.toml',
        'tox.ini',
        'noxfile.py',
        'pytest.ini',
        '.pytest.ini',
        '.coveragerc',
        '.pylintrc',
        'pylintrc',
      ],
      ...[
        'mypy.ini',
        '.mypy.ini',
        '.flake8',
        'Pipfile*',
        'poetry.lock',
        'pdm.lock',
        'uv.lock',
        'uv.toml',
        'hatch.toml',
      ],
      ...[
        'requirements*.txt',
        'constraints*.txt',
        'pip.conf',
        '.pypirc',
        '.pythonrc*',
        '.pdbrc*',
        'manage.py',
        'environment.y*',
      ],
      ...['.python-version', 'ruff.toml', '.ruff.toml', 'pixi.toml', '.pdm.toml', 'ipython_config.py', 'jupyter_*'],
    ],
    directories: ['.venv', 'venv', '.tox', '.nox', '.ipython', '.jupyter', '.pixi'],
  },
  {
    reason: 'Python loads compiled code from it in place of the source',
    directories: ['__pycache__', '.pytest_cache', '.mypy_cache', '.ruff_cache'],
    files: ['*.pyc', '*.pyo'],
    isRoutine: true,
  },
  {
    reason: 'a server of builds runs it',
    directories: [
      '.github',
      '.gitlab',
      '.circleci',
      '.buildkite',
      '.gitea',
      '.forgejo',
      '.woodpecker',
      '.azure-pipelines',
    ],
    files: [
      ...['.gitlab-ci*', '.travis.yml', 'Jenkinsfile*', 'azure-pipelines*', 'bitbucket-pipelines.yml', '.drone.*'],
      ...['.woodpecker.*', '.appveyor.yml', 'appveyor.yml', 'cloudbuild.*', 'buildspec.*', '.cirrus.*', '.semaphore'],
      ...[
        'codecov.yml',
        '.codecov.yml',
        'renovate.json*',
        '.renovaterc*',
        'dependabot.yml',
        'skaffold.yaml',
        'dagger.json',
      ],
    ],
  },
  {
    reason: 'a container engine runs it',
    directories: ['.devcontainer', '.docker'],
    files: [
      ...['Dockerfile*', '*.dockerfile', 'Containerfile*', 'docker-compose*', 'compose.yml', 'compose.yaml'],
      ...['compose.override.*', 'docker-bake.*', '.devcontainer.json', '.dockerignore', 'devfile.yaml', '.gitpod.*'],
    ],
  },
  {
    reason: 'an editor takes settings and commands from it',
    directories: ['.vscode', '.idea', '.zed', '.fleet', '.vs', '.settings', '.nvim', '.vim', '.emacs.d', '.sublime'],
    files: [
      ...[
        '*.code-workspace',
        '*.sublime-project',
        '*.iml',
        '.vimrc',
        '.nvimrc',
        '.exrc',
        '_vimrc',
        '.nvim.lua',
        '.gvimrc',
      ],
      ...['.lvimrc', '.vimspector.json', '.dir-locals*', '.projectile', '.emacs', '.editorconfig', '.clangd', '.ccls'],
      ...['.project', '.classpath', '.helix', '.neoconf.json', '.lldbinit', '.gdbinit', '.ycm_extra_conf.py'],
    ],
  },
  {
    reason: 'an agent takes orders, tools or commands from it',
    directories: [
      ...['.claude', '.cursor', '.windsurf', '.continue', '.codex', '.gemini', '.aider', '.roo', '.kiro', '.amazonq'],
      ...[
        '.opencode',
        '.cline',
        '.clinerules',
        '.junie',
        '.augment',
        '.trae',
        '.qwen',
        '.crush',
        '.agents',
        '.copilot',
      ],
    ],
    files: [
      ...['CLAUDE*.md', 'AGENTS*.md', 'AGENT.md', 'GEMINI.md', 'QWEN.md', 'CRUSH.md', 'CONVENTIONS.md', '.cursorrules'],
      ...[
        '.windsurfrules',
        '.clinerules',
        '.roorules*',
        '.roomodes',
        '.mcp.json',
        'mcp.json',
        'mcp.lock.json',
        '.aider*',
      ],
      ...['opencode.json*', '.rules', 'copilot-instructions.md', 'SKILL.md', '.goosehints', '.cursorignore', '.junie*'],
    ],
  },
  {
    reason: 'a shell or a tool of versions takes it into its environment',
    files: [
      ...['.env', '.env.*', '.envrc', '.direnv', '.bashrc', '.bash_*', '.profile', '.zshrc', '.zshenv', '.zprofile'],
      ...[
        '.zlogin',
        '.zlogout',
        '.kshrc',
        '.cshrc',
        '.tcshrc',
        '.login',
        '.logout',
        '.inputrc',
        '.xprofile',
        '.xinitrc',
      ],
      ...['.nvmrc', '.node-version', '.ruby-version', '.tool-versions', '.mise.*', 'mise.*', '.rtx.toml', '.sdkmanrc'],
      ...['.irbrc', '.pryrc', '.perltidyrc', '.Rprofile', '.Renviron', '.psqlrc', '.sqliterc', '.my.cnf', '.curlrc'],
      ...['.wgetrc', '.netrc', '.tmux.conf', '.screenrc', '.luarc*', '.octaverc', '.ghci', '.hushlogin', 'Profile.ps1'],
      ...['rust-toolchain*', '.java-version', '.terraformrc', 'autorun.inf', 'desktop.ini', '*.desktop', '.envrc.*'],
    ],
    directories: ['.config', '.local', '.ssh', '.gnupg', '.aws', '.kube', '.mise', '.direnv', '.terraform', '.env'],
  },
  { reason: 'programs load what they kept there', directories: ['.cache'] },
]

/** Signs that file systems or people do not see: some systems take a name with them for the name without them. */
const IGNORABLE_SIGN = /[\p{Default_Ignorable_Code_Point}\p{Cf}\p{Cc}]/gu

/** Returns a name as the most lenient file system compares it: without case, forms, ignorable signs, and ends of Windows. */
export function plainName(name: string): string {
  const visible = name.normalize('NFKC').replaceAll(IGNORABLE_SIGN, '').normalize('NFKC').toLowerCase()
  const stream = visible.indexOf(':')
  const base = stream > 0 ? visible.slice(0, stream) : visible
  let end = base.length
  while (end > 0 && (base[end - 1] === '.' || base[end - 1] === ' ')) end--
  return base.slice(0, end)
}

/** Names of one kind: whole ones, and those with a start and an end around a `*`. */
interface Names {
  readonly whole: ReadonlyMap<string, RiskMark>
  readonly open: readonly (readonly [start: string, end: string, mark: RiskMark])[]
}

function indexNames(kind: 'files' | 'directories'): Names {
  const whole = new Map<string, RiskMark>()
  const open: [string, string, RiskMark][] = []
  for (const mark of RISK_MARKS)
    for (const name of mark[kind] ?? []) {
      const [start = '', end] = plainName(name.replaceAll('*', '/')).split('/')
      if (end === undefined) whole.set(start, mark)
      else open.push([start, end, mark])
    }
  return { whole, open }
}

const FILE_NAMES = indexNames('files')
const DIRECTORY_NAMES = indexNames('directories')

const markIn = ({ whole, open }: Names, name: string): RiskMark | undefined =>
  whole.get(name) ??
  open.find(
    ([start, end]) => name.length >= start.length + end.length && name.startsWith(start) && name.endsWith(end),
  )?.[2]

/** Files beside a file `HEAD` that Git takes settings and programs from. */
const REPOSITORY_NAMES: ReadonlySet<string> = new Set([
  'config',
  'config.worktree',
  'hooks',
  'commondir',
  'gitdir',
  'info',
])

const REPOSITORY_MARK: RiskMark = { reason: 'it lies in a Git repository without `.git`, which names programs' }

/** Kind of an entry of a directory, as far as it is copied. */
export type EntryKind = 'file' | 'directory' | 'link'

/**
 * Returns the mark of a path in the user's directory; undefined if it has none. `isRepository` returns true for the path of a
 * directory with a file `HEAD`; the root is the empty text.
 */
export function riskOf(
  path: string,
  entry: EntryKind,
  isRepository: (directory: string) => boolean = () => false,
): RiskMark | undefined {
  const parts = path.split('/')
  for (const [index, part] of parts.entries()) {
    const name = plainName(part)
    const isLast = index === parts.length - 1
    const mark =
      (isLast && entry === 'file' ? undefined : markIn(DIRECTORY_NAMES, name)) ??
      (isLast && entry !== 'directory' ? markIn(FILE_NAMES, name) : undefined) ??
      (REPOSITORY_NAMES.has(name) && isRepository(parts.slice(0, index).join('/')) ? REPOSITORY_MARK : undefined)
    if (mark) return mark
  }
  return undefined
}

/** Returns true if a path is one of the given ones or lies in it, or has a part of such a name. */
export function isNamed(path: string, names: readonly string[]): boolean {
  const whole = path.split('/').map(plainName)
  return names.some((name) => {
    const parts = name.split('/').map(plainName)
    return parts.length === 1 ? whole.includes(parts[0]!) : parts.every((part, index) => whole[index] === part)
  })
}
