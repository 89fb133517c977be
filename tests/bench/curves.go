package main

import (
	"fmt"
	"os"
	"path/filepath"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
)

// curves are what the pictures show.
type curves struct{ ready, calls, masses, memory []point }

const (
	pictureWidth  = 16 * vg.Centimeter
	pictureHeight = 8 * vg.Centimeter
)

// draw writes a picture of each curve that was measured into a folder.
func (c *curves) draw(folder string) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return fmt.Errorf("drawing: %w", err)
	}
	for name, picture := range map[string]struct {
		title, x, y string
		points      []point
	}{
		"ready":  {"301 objects in one apply", "seconds", "objects ready", c.ready},
		"calls":  {"301 objects in one apply", "seconds", "calls to Aiven", c.calls},
		"masses": {"Ten services full of databases and users", "seconds", "objects ready", c.masses},
		"memory": {"Memory of the operator", "objects", "MB allocated", c.memory},
	} {
		if len(picture.points) == 0 {
			continue
		}
		p := plot.New()
		p.Title.Text, p.X.Label.Text, p.Y.Label.Text = picture.title, picture.x, picture.y
		p.Y.Min, p.X.Min = 0, 0
		line, err := plotter.NewLine(xys(picture.points))
		if err != nil {
			return fmt.Errorf("drawing %s: %w", name, err)
		}
		p.Add(plotter.NewGrid(), line)
		p.Y.Min, p.X.Min = 0, 0
		if err := p.Save(pictureWidth, pictureHeight, filepath.Join(folder, name+".svg")); err != nil {
			return fmt.Errorf("drawing %s: %w", name, err)
		}
	}
	return nil
}

// xys thins out what no eye could tell apart.
func xys(points []point) plotter.XYs {
	const enough = 400
	step := max(1, len(points)/enough)
	var out plotter.XYs
	for i := 0; i < len(points); i += step {
		out = append(out, plotter.XY{X: points[i].x, Y: points[i].y})
	}
	last := points[len(points)-1]
	return append(out, plotter.XY{X: last.x, Y: last.y})
}
