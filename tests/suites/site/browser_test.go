package site

import (
	"context"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	cdpbrowser "github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const (
	testTimeout = time.Minute
	tick        = 50 * time.Millisecond
)

var screenshots = flag.String("screenshots", "", "folder for pictures of what the tests see")

// browser is Chromium, with a window of the size of a laptop's.
func browser(t *testing.T) context.Context {
	t.Helper()
	for _, name := range []string{"chromium-headless-shell", "chromium", "google-chrome"} {
		program, err := exec.LookPath(name)
		if err != nil {
			continue
		}
		options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(program), chromedp.WindowSize(1440, 900),
			chromedp.NoSandbox) // which root needs; the pages are ours
		ctx, cancel := chromedp.NewExecAllocator(t.Context(), options...)
		t.Cleanup(cancel)
		return ctx
	}
	t.Skip("Chromium isn't installed: it is Debian's package chromium-headless-shell (bash tests/deps.sh all)")
	return nil
}

// tab is a page of the site in a tab of the browser. Nothing that it loads comes from elsewhere.
type tab struct {
	t    *testing.T
	ctx  context.Context
	site string
}

func open(t *testing.T, in context.Context, site string) tab {
	t.Helper()
	ctx, closeTab := chromedp.NewContext(in)
	ctx, cancel := context.WithTimeout(ctx, 3*testTimeout)
	t.Cleanup(func() { cancel(); closeTab() })
	require.NoError(t, chromedp.Listen(ctx, func(event any) {
		if sent, is := event.(*network.EventRequestWillBeSent); is && !strings.HasPrefix(sent.Request.URL, "data:") {
			assert.True(t, strings.HasPrefix(sent.Request.URL, site), "a page loads %s", sent.Request.URL)
		}
	}))
	return tab{t: t, ctx: ctx, site: site}
}

func (p tab) do(actions ...chromedp.Action[chromedp.Void]) {
	p.t.Helper()
	require.NoError(p.t, chromedp.Do(p.ctx, actions...))
}

func (p tab) visit(page string) {
	p.t.Helper()
	p.do(chromedp.Navigate(p.site + home + page))
}

// until waits for an expression to be true, also on the page that follows.
func (p tab) until(expression string) {
	p.t.Helper()
	require.Eventually(p.t, func() bool {
		is, err := chromedp.Run(p.ctx, chromedp.Evaluate[bool](expression))
		return err == nil && is
	}, testTimeout, tick, expression)
}

// value is the text that an expression has.
func (p tab) value(expression string) string {
	p.t.Helper()
	value, err := chromedp.Run(p.ctx, chromedp.Evaluate[string](expression))
	require.NoError(p.t, err, expression)
	return value
}

// picture stores what is seen, for readers of -screenshots.
func (p tab) picture(name string) {
	p.t.Helper()
	if *screenshots == "" {
		return
	}
	png, err := chromedp.Run(p.ctx, chromedp.CaptureScreenshot())
	require.NoError(p.t, err)
	require.NoError(p.t, os.WriteFile(filepath.Join(*screenshots, name+".png"), png, 0o600))
}

const diagramDrawn = `document.querySelector(".mermaid svg") !== null`

func TestReadersSee(t *testing.T) {
	in, server := browser(t), serve(t)
	for name, check := range map[string]func(tab){
		"the first page with its diagram, the sections in their order and the versions": firstPage,
		"a kind's page with its example, and a button that copies it":                   kindPage,
		"what they search for":                           search,
		"no page that is wider than a phone":             phone,
		"dark pages and diagrams when they ask for them": dark,
	} {
		t.Run(name, func(t *testing.T) { check(open(t, in, server.URL)) })
	}
}

func firstPage(p tab) {
	p.visit("")
	p.until(diagramDrawn)
	p.picture("first")
	assert.Equal(p.t, "aero", p.value(`document.querySelector("h1").innerText`))
	assert.Equal(p.t, "Get started, Install, Guides, Concepts, Kinds, Reasons, Operate, Contribute",
		p.value(`[...document.querySelectorAll(".sidebar-container ul.max-md\\:hx-hidden > li > a")].map(a => a.innerText.trim()).join(", ")`))
	p.until(`document.querySelector(".versions") !== null`)
	assert.Equal(p.t, "v0.1, latest", p.value(`[...document.querySelector(".versions").options].map(o => o.text).join(", ")`))
}

func kindPage(p tab) {
	// A reader's browser allows it to a page in front.
	_, err := chromedp.CallBrowser(p.ctx, cdpbrowser.SetPermission, cdpbrowser.SetPermissionParams{
		Permission: &cdpbrowser.PermissionDescriptor{Name: "clipboard-write"}, Setting: cdpbrowser.PermissionSettingGranted,
	})
	require.NoError(p.t, err)
	p.visit("kinds/postgresql/")
	p.picture("kind")
	assert.Equal(p.t, "PostgreSQL", p.value(`document.querySelector("h1").innerText`))
	assert.Contains(p.t, p.value(`document.querySelector(".hextra-code-block code").innerText`), "kind: PostgreSQL")
	p.do(chromedp.Click(".hextra-code-copy-btn"))
	p.until(`document.querySelector(".hextra-code-copy-btn.copied") !== null`)
}

func search(p tab) {
	const first = `document.querySelector(".search-results a")`
	p.visit("")
	p.do(chromedp.SendKeys("nav .search-input", "AuthFailed"))
	// The index may come after the last key.
	p.until(`document.querySelector("nav .search-input").dispatchEvent(new KeyboardEvent("keyup")) && ` + first + ` !== null`)
	p.picture("search")
	assert.Equal(p.t, p.site+home+"reasons/authfailed/", p.value(first+`.href`))
	p.do(chromedp.Click(".search-results a"))
	p.until(`document.querySelector("h1").innerText === "AuthFailed"`)
	p.picture("reason")
}

func phone(p tab) {
	p.do(chromedp.EmulateViewport(390, 844, chromedp.EmulateMobile))
	for _, page := range []string{"", "install/", "guides/use-a-secret/", "kinds/", "kinds/postgresql/", "kinds/kafka-options/",
		"reasons/", "reasons/authfailed/", "operate/scale/", "contribute/architecture/", "contribute/requirements/"} {
		p.visit(page)
		p.picture("phone-" + strings.ReplaceAll(page, "/", "-"))
		assert.Equal(p.t, "390", p.value(`String(document.documentElement.scrollWidth)`), "%s%s is wider than the screen", home, page)
	}
	p.do(chromedp.Click(".hamburger-menu"))
	p.until(`document.querySelector(".sidebar-container").getBoundingClientRect().top === 0`)
	p.picture("phone-menu")
}

func dark(p tab) {
	const isDark, toggle = `document.documentElement.classList.contains("dark")`, ".sidebar-container .theme-toggle"
	const background = `getComputedStyle(document.body).backgroundColor`
	p.visit("contribute/architecture/")
	p.until(diagramDrawn)
	p.until("!" + isDark)
	light := p.value(background)
	p.do(chromedp.Click(toggle))
	p.until(isDark)
	assert.NotEqual(p.t, light, p.value(background))
	p.until(diagramDrawn)
	p.picture("dark")
	p.visit("")
	p.until(isDark)
	p.until(diagramDrawn)
	p.picture("dark-first")
	p.do(chromedp.Click(toggle))
	p.until("!" + isDark)
}
