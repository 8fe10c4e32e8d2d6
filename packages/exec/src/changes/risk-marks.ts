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

/** Returns the names in a text, with white space between them. */
const names = (text: string): readonly string[] => text.trim().split(/\s+/u)

/** The names that tools of developers execute, load or take settings from without being told to. */
export const RISK_MARKS: readonly RiskMark[] = [
  {
    reason: 'Git takes settings and hooks from it',
    directories: names('.git .githooks.d'),
    files: names(`
      .git .gitconfig .gitmodules .gitattributes git~* .lfsconfig .gitreview .gitlint .arcconfig`),
  },
  { reason: 'Git takes a directory with it for a repository, whose settings name programs', files: ['HEAD'] },
  {
    reason: 'other systems of versions take settings and hooks from it',
    directories: names('.hg .svn .jj .bzr .fossil-settings .sl .pijul'),
    files: names('.hgrc .hgsub .fslckout'),
  },
  {
    reason: 'it holds hooks that run with a commit',
    directories: names(`
      .husky .githooks .git-hooks git-hooks githooks .lefthook .overcommit .trunk .captainhook`),
    files: names(`
      .pre-commit-config.* .pre-commit-hooks.* prek.toml lefthook.* .lefthook.* lefthook-local.* .lefthook-local.*
      .huskyrc* .lintstagedrc* lint-staged.config.* .simple-git-hooks.* simple-git-hooks.* .overcommit.yml .czrc .cz.*
      .releaserc* release.config.* .release-it.* .versionrc* hk.pkl captainhook.json grumphp.yml* .commitlintrc*`),
  },
  {
    reason: 'package managers run its scripts and load its code',
    directories: names(`
      node_modules .node_modules bower_components jspm_packages web_modules site-packages dist-packages .yarn .pnp
      vendor *.egg-info *.dist-info *.egg .dart_tool .luarocks .pub-cache`),
    files: names(`
      package.json package.json5 package.yaml package-lock.json npm-shrinkwrap.json yarn.lock pnpm-lock.yaml bun.lock
      bun.lockb deno.lock jsr.json pnpm-workspace.yaml .pnpmfile.* .npmrc .yarnrc* bunfig.toml .bunfig.toml deno.json*
      .pnp.* lerna.json nx.json project.json turbo.json* rush.json workspace.json binding.gyp *.gyp *.gypi bower.json
      import_map.json importmap.json composer.json composer.lock Gemfile* *.gemspec gems.rb .gemrc mix.exs mix.lock
      rebar.* Podfile* Package.swift Package.resolved Mintfile pubspec* analysis_options.yaml .packages
      .flutter-plugins* Cargo.toml Cargo.lock build.rs go.mod go.work go.sum go.work.sum *.cabal cabal.project*
      Setup.hs Setup.lhs stack.yaml* dub.json dub.sdl dub.selections.json shard.yml shard.lock conanfile.* conan.lock
      vcpkg*.json *.nimble *.opam Project.toml Manifest.toml LocalPreferences.toml deps.edn project.clj bb.edn .bundle
      global.json NuGet.config packages.config packages.lock.json dotnet-tools.json paket.* cpanfile* *.rockspec
      Build.PL dist.ini elm.json spago.* gleam.toml fpm.toml v.mod lakefile.* lean-toolchain guix.scm channels.scm
      *.egg-link .bowerrc .syncpackrc* renv.lock`),
  },
  {
    reason: 'package managers take settings from it',
    directories: names(`
      .cargo .bundle .mvn .gradle gradle buildSrc .nuget .npm .m2 .ivy2 .sbt .stack .cabal .gem .renv renv .bun .deno
      .changeset .swiftpm`),
    files: names('.condarc pip.ini .cargo-ok .sbtopts .jvmopts lombok.config'),
  },
  {
    reason: 'build tools run it',
    directories: names('magefiles *.xcodeproj *.xcworkspace .bazel .mill .bloop .metals .bsp .clj-kondo .lein'),
    files: names(`
      Makefile* GNUmakefile *.mk *.mak CMakeLists.txt* CMakePresets.json CMakeUserPresets.json *.cmake configure
      configure.ac configure.in aclocal.m4 acinclude.m4 config.status meson.build meson.options meson_options.txt
      SConstruct SConscript *.ninja BUILD BUILD.bazel BUILD.pants BUILD.plz WORKSPACE WORKSPACE.* MODULE.bazel*
      .bazelrc .bazelproject *.bazelrc .bazelversion .bazeliskrc *.bzl *.star bazel pants*.toml .pants* .plzconfig*
      BUCK* .buckconfig* TARGETS Tupfile* Tuprules* premake* xmake.lua *.gradle *.gradle.kts gradle.properties
      gradlew* mvnw* pom.xml build.xml ivy.xml build.sbt *.sbt build.sc build.mill* build.boot shadow-cljs.edn
      user.clj *.main.kts Justfile .justfile *.just Taskfile.* Rakefile* Cakefile *.rake Thorfile Jakefile* Gruntfile*
      gulpfile* Brocfile* dodo.py fabfile.py tasks.py duties.py pavement.py invoke.yaml invoke.yml invoke.json
      hatch_build.py versioneer.py wscript waf Earthfile Tiltfile Vagrantfile Brewfile* *proj *.sln *.slnx *.slnf
      *.props *.targets *.rsp *.tasks *.cake *.xcconfig *.pro *.pri *.qbs build.zig build.zig.zon *.nix flake.lock
      .please* magefile.go Snakefile Guardfile Capfile Fastfile Appfile Matchfile Dangerfile* Steepfile Appraisals
      config.ru buf.*yaml buf.lock .air.* .ko.* .goreleaser.* goreleaser.* dune dune-project dune-workspace _tags
      myocamlbuild.ml build.yaml Kbuild Kconfig rescript.json bsconfig.json nim.cfg *.nims *.nim.cfg *.hxml`),
  },
  {
    reason: 'tools of JavaScript load it as code or take commands from it',
    directories: names(`
      .storybook .yalc .pnpm .moon .nx .turbo .netlify .vercel .vitepress .vuepress .wireit .eslint-plugin-local
      eslint-local-rules .wrangler .firebase`),
    files: names(`
      *.config.js *.config.cjs *.config.mjs *.config.ts *.config.cts *.config.mts *.config.json *.config.jsonc
      *.config.json5 *.config.toml *.config.yml *.config.yaml *.config.coffee *.config.tsx *.config.jsx *.conf.js
      *.conf.cjs *.conf.mjs *.conf.ts .eslintrc* .eslintplugin* eslint-local-rules.* .prettierrc* .babelrc* .swcrc
      .mocharc* .nycrc* .c8rc* .avarc* .jestrc* .stylelintrc* .postcssrc* .ncurc* .taprc .parcelrc .browserslistrc
      .oxlintrc* biome.json* .markdownlint* .remarkrc* .textlintrc* .secretlintrc* .cspell* cspell.json* .size-limit*
      .dependency-cruiser* .knip.* knip.json* knip.ts knip.js .graphqlrc* codegen.y* codegen.json codegen.ts
      codegen.js .graphqlconfig* cypress.json nightwatch.json tsconfig* jsconfig.json vitest.workspace.*
      vitest.shims.* jest.setup.* vitest.setup.* setupTests.* setup-jest.* gatsby-config.* gatsby-node.*
      gatsby-browser.* gatsby-ssr.* truffle-config.js ember-cli-build.* .ember-cli* .umirc* .fatherrc* .dumirc*
      webpack.* webpackfile.* nodemon.json .nodemonrc* angular.json .angular-cli.json app.json eas.json vercel.*
      now.json netlify.toml wrangler.* firebase.json .firebaserc Procfile* .foreman pm2.json .noderc
      .node_repl_history .babel.json .sassrc* .svgrrc* .lighthouserc* .unlighthouse* .flowconfig .jsdoc* .lost-pixel*
      .watchmanconfig .tern-project .c8.json .solhint* .solcover.js truffle.js foundry.toml .sequelizerc .mikro-orm*
      knexfile.* ormconfig.* .nestcli.json nest-cli.json .plop* plopfile.* .all-contributorsrc action.yml action.yaml`),
  },
  {
    reason: 'Python loads it at its start, or tools of Python run it',
    directories: names(`
      .venv venv .virtualenv .tox .nox .ipython .jupyter .pixi .hatch .pdm-build __pypackages__ sitecustomize
      usercustomize .dvc .eggs`),
    files: names(`
      sitecustomize* usercustomize* conftest.* *.pth *._pth pyvenv.cfg setup.py setup.cfg pyproject.toml tox.ini
      tox.toml noxfile.py pytest.ini .pytest.ini pytest.toml .pytest.toml .coveragerc* .pylintrc* pylintrc* mypy.ini
      .mypy.ini .flake8 .isort.cfg .pyre* pyrightconfig.json .bandit* .prospector.* .behaverc behave.ini .noserc
      nose.cfg unittest.cfg Pipfile* poetry.lock poetry.toml pdm.lock pdm.toml uv.lock uv.toml hatch.toml pylock*.toml
      pylock.toml requirements*.txt requirements*.in constraints*.txt pip.conf .pypirc .pythonrc* .pythonstartup
      .pdbrc* manage.py environment.y* .python-version ruff.toml .ruff.toml pixi.* .pdm.toml .pdm-python
      ipython_config.py jupyter_* .flaskenv gunicorn.conf.py uwsgi.ini celeryconfig.py alembic.ini scrapy.cfg
      mkdocs.y* conf.py .readthedocs.* readthedocs.* dvc.yaml dvc.lock zuul.yaml buildout.cfg zope.conf`),
  },
  {
    reason: 'Python loads compiled code from it in place of the source',
    directories: names('__pycache__ .pytest_cache .mypy_cache .ruff_cache .hypothesis'),
    files: names('*.pyc *.pyo'),
    isRoutine: true,
  },
  {
    reason: 'an interpreter or a shell of a language loads it at its start',
    files: names(`
      .irbrc .pryrc .rspec .rspec-local .rubocop.* .simplecov .byebugrc .erdconfig .solargraph.yml .Rprofile .Renviron
      .RData startup.R *.Rproj .lintr startup.m .octaverc startup.jl .perltidyrc .perlcriticrc .proverc .ackrc .luarc*
      .luacheckrc .luacov .busted .ghci .hlint.* hie.yaml .ocamlinit .utoprc .merlin .erlang .iex.exs .formatter.exs
      .credo.exs config.exs runtime.exs .sbclrc .clisprc* .eclrc .guile .racketrc .scalafix.conf .php-cs-fixer*
      .php_cs* phpunit.xml* phpstan.* psalm.xml* rector.php infection.json* .user.ini php.ini .htaccess web.config
      artisan rust-analyzer.toml .rust-analyzer.toml clippy.toml .clippy.toml Cross.toml Trunk.toml bacon.toml
      .golangci.* .wgetrc .curlrc`),
  },
  {
    reason: 'a server of builds runs it',
    directories: names(`
      .github .gitlab .circleci .buildkite .gitea .forgejo .woodpecker .azure-pipelines .azuredevops .teamcity
      .concourse .harness .tekton .builds .zuul.d zuul.d .semaphore .cloudbuild .drone .ebextensions .platform .argocd
      .jenkins`),
    files: names(`
      .gitlab-ci* .travis.yml Jenkinsfile* azure-pipelines* bitbucket-pipelines.yml .drone.* .woodpecker.*
      .appveyor.yml appveyor.yml cloudbuild.* buildspec.* .cirrus.* .semaphore .build.yml .builds.yml .zuul.*
      wercker.yml bitrise.yml codemagic.yaml .scrutinizer.yml screwdriver.yaml .prow* .mergify.yml .kodiak.toml
      CODEOWNERS codecov.yml .codecov.yml .codeclimate.* sonar-project.properties .mega-linter.yml .actrc
      renovate.json* .renovaterc* dependabot.yml skaffold.yaml dagger.json .gitversion GitVersion.yml amplify.yml
      jitpack.yml release-please-config.json .release-please-manifest.json`),
  },
  {
    reason: 'a container engine or a tool of infrastructure runs it',
    directories: names(`
      .devcontainer .docker .terraform .pulumi .vagrant .serverless .ansible .helm .idx .codesandbox`),
    files: names(`
      Dockerfile* *.dockerfile Containerfile* *.containerfile docker-compose* podman-compose* compose*.yml
      compose*.yaml docker-bake.* .devcontainer.json .dockerignore .containerignore devfile.yaml .devfile.yaml
      .gitpod.* devbox.* devenv.* .replit replit.nix .stackblitzrc heroku.yml fly.toml render.yaml railway.toml
      railway.json nixpacks.* captain-definition .buildpacks *.tf *.tf.json *.tofu *.tfvars *.tfvars.json .terraform*
      terragrunt.hcl *.pkr.hcl *.pkr.json Pulumi.* serverless.y* serverless.json serverless.ts serverless.js cdk.json samconfig.*
      ansible.cfg .ansible.cfg .ansible-lint* helmfile.* Chart.yaml kustomization.* okteto.* garden.yml devspace.yaml
      .terraformrc terraform.rc *.service *.socket *.timer`),
  },
  {
    reason: 'an editor takes settings and commands from it',
    directories: names(`
      .vscode .vscode-test .idea .run .zed .fleet .vs .settings .nvim .vim .lvim .emacs.d .doom.d .spacemacs.d
      .sublime .nova .helix .kak .theia .kdev4 nbproject .externalToolBuilders .ctags.d .kateproject.d`),
    files: names(`
      *.code-workspace *.code-snippets .vscode-test* *.sublime-project *.sublime-workspace *.sublime-settings *.sublime-build *.iml .vimrc* .nvimrc .exrc _vimrc _gvimrc .nvim.lua
      .lazy.lua .gvimrc .lvimrc .local.vim* .vimproject .vimspector.json coc-settings.json .dir-locals* .dir-settings*
      .projectile .emacs* init.el early-init.el .spacemacs .editorconfig .clangd .ccls compile_commands.json
      compile_flags.txt .clang-tidy .project .classpath .cproject .helix .kakrc kakrc .neoconf.json .lldbinit*
      .gdbinit .gdbearlyinit *-gdb.py *-gdb.gdb *-gdb.scm .ycm_extra_conf.py .color_coded .tm_properties .kateproject*
      .kateconfig .kdev4 *.kdev4 *.launch .nanorc .ctags omnisharp.json launchSettings.json .ensime .netrwhist`),
  },
  {
    reason: 'an agent takes orders, tools or commands from it',
    directories: names(`
      .claude .claude-plugin .cursor .windsurf .continue .codex .gemini .aider .roo .kiro .amazonq .opencode .cline
      .clinerules .junie .augment .trae .qwen .crush .agents .agent .copilot .mcp .goose .openhands .sourcegraph .cody
      .tabnine .factory .warp .jules .amp .ruler .rulesync .zencoder .kilocode .kilo .aiassistant .ai .rules .specify
      .taskmaster .serena .void .pearai .devin .openclaw .pi .skills`),
    files: names(`
      CLAUDE*.md AGENTS*.md AGENT.md AGENTS GEMINI*.md QWEN.md CRUSH.md WARP.md AMP.md JULES.md COPILOT.md CODEX.md
      replit.md CONVENTIONS.md .cursorrules .windsurfrules .clinerules .roorules* .roomodes .kilocodemodes .mcp.json
      .mcp.*json mcp.json mcp.lock.json mcp*.json mcp_config.* .aider* opencode.json* .rules copilot-instructions.md
      SKILL.md SKILLS.md HOOK.md .goosehints .cursorignore .junie* *.mdc *.prompt.md *.instructions.md *.chatmode.md
      *.agent.md hooks.json agents.json .augment* .ai* crush.json .crush.json`),
  },
  {
    reason: 'a shell or a tool of versions takes it into its environment',
    files: names(`
      .env .env.* *.env .envrc .envrc.* .direnv .direnvrc .autoenv* .shadowenv.d .ondirrc .bashrc* .bash_* .bash*
      .profile .zsh* .zlogin* .zlogout .zprofile* .kshrc .mkshrc .shrc .cshrc .tcshrc .login .logout .inputrc
      .xprofile .xinitrc .xsession* .xserverrc .xsessionrc .pam_environment config.fish .fishrc .xonshrc config.nu
      env.nu .nvmrc .node-version .ruby-version .ruby-gemset .rvmrc .rbenv-vars .tool-versions .asdfrc .mise.* mise.*
      .prototools .rtx.toml .pkgx.yaml pkgx.yaml .sdkmanrc .jabbarc .java-version .go-version .terraform-version
      .swift-version .crystal-version .perl-version .php-version .lua-version rust-toolchain* .psqlrc .pgpass
      .pg_service.conf .sqliterc .duckdbrc .my.cnf .mylogin.cnf .mongorc.js .mongoshrc.js .netrc _netrc .tmux.conf
      .screenrc .hushlogin .forward .procmailrc .mailrc .mailcap .rhosts .shosts .k5login authorized_keys known_hosts
      crontab .xbindkeysrc .dircolors .lessfilter .lesskey .digrc *profile.ps1 *.ps1xml autorun.inf desktop.ini
      .directory *.desktop *.lnk *.url *.scf *.library-ms *.search-ms *.webloc *.plist .hermit`),
    directories: names(`
      .config .local .ssh .gnupg .aws .azure .gcloud .kube .mise .mise-tasks mise-tasks .direnv .env .shadowenv.d .nvm
      .pyenv .rbenv .rvm .asdf .sdkman .rustup .ghcup .oh-my-zsh .dotnet .android .flox .devenv .devbox .hermit
      autostart systemd LaunchAgents LaunchDaemons .mozilla .thunderbird .pki`),
  },
  { reason: 'programs load what they kept there', directories: ['.cache'] },
]

/** Signs that file systems or people do not see: some systems take a name with them for the name without them. */
const IGNORABLE_SIGN = /[\p{Default_Ignorable_Code_Point}\p{Cf}\p{Cc}]/gu

/** Returns a name as the most lenient file system compares it: without case, forms, ignorable signs, and ends of Windows. */
export function plainName(name: string): string {
  const visible = visibleName(name)
  const stream = visible.indexOf(':')
  const base = stream > 0 ? visible.slice(0, stream) : visible
  let end = base.length
  while (end > 0 && (base[end - 1] === '.' || base[end - 1] === ' ')) end--
  return base.slice(0, end)
}

const visibleName = (name: string): string =>
  name.normalize('NFKC').replaceAll(IGNORABLE_SIGN, '').normalize('NFKC').toLowerCase()

/** Returns a name as one file system or another reads it: where a `:` begins nothing, what follows it counts. */
function readingsOf(name: string): ReadonlySet<string> {
  return new Set([plainName(name), visibleName(name), name.toLowerCase()])
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

/** A short name that Windows gives to a long one, such as `PACKAG~1.JSO`. */
const SHORT_NAME = /^[^.~]{1,6}~\d/u

const SHORT_NAME_MARK: RiskMark = { reason: 'Windows takes its name for the short form of another one' }

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
  // Windows separates names by either sign.
  const parts = path.split(/[/\\]/u)
  for (const [index, part] of parts.entries()) {
    const isLast = index === parts.length - 1
    for (const name of readingsOf(part)) {
      const mark =
        (isLast && entry === 'file' ? undefined : markIn(DIRECTORY_NAMES, name)) ??
        (isLast && entry !== 'directory' ? markIn(FILE_NAMES, name) : undefined) ??
        (REPOSITORY_NAMES.has(name) && isRepository(parts.slice(0, index).join('/')) ? REPOSITORY_MARK : undefined) ??
        (SHORT_NAME.test(name) ? SHORT_NAME_MARK : undefined)
      if (mark) return mark
    }
  }
  return undefined
}

/** Returns true if a path is one of the given ones or lies in it, or has a part of such a name, without regard to case alone. */
export function isNamed(path: string, names: readonly string[]): boolean {
  const whole = path.toLowerCase().split('/')
  return names.some((name) => {
    const parts = name.toLowerCase().split('/')
    return parts.length === 1 ? whole.includes(parts[0]!) : parts.every((part, index) => whole[index] === part)
  })
}
